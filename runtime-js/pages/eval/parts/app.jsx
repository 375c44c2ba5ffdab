// The root component.
export const App = ({ data }) => data.evals.map(({ file }) => <h1>{file}</h1>);
