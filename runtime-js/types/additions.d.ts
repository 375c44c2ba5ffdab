// Globals that @types/node lacks, or has otherwise. Compatible with it and with the library of browsers.

interface Response {
  /** The body read as JSON: `any`, as in browsers. */
  json(): Promise<any>;
}

interface Request {
  json(): Promise<any>;
}
