import { CompressionStream, DecompressionStream } from 'lmthing:internal/web/compression-streams';
import { TextDecoderStream, TextEncoderStream } from 'lmthing:internal/web/encoding-streams';
import * as streams from 'lmthing:internal/web/streams';

export * from 'lmthing:internal/web/streams';
export { CompressionStream, DecompressionStream, TextDecoderStream, TextEncoderStream };
export default { ...streams, CompressionStream, DecompressionStream, TextDecoderStream, TextEncoderStream };
