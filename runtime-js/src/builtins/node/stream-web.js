// `node:stream/web`: the globals.
import * as streams from 'lmthing:internal/web/streams';

export * from 'lmthing:internal/web/streams';
export { TextDecoderStream, TextEncoderStream } from 'lmthing:internal/web/encoding-streams';
export default streams;
