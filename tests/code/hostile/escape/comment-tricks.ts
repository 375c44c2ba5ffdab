// about: end the code in a comment or a template
// expect: contained

const text = `unfinished */ // ${'x'}`;
/* a comment that ends */
return text; // the last line has no end
