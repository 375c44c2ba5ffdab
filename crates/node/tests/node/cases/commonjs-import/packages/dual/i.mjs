export default 'by import';
