// `node:_http_common`: Node's parser of HTTP as a class, for packages that imitate connections.
import { hasBadContent, isParseError, isToken, MessageParser, METHODS, unexpectedEnd } from 'lmthing:internal/http';

/** What a listener of the head returns: there is no body, or the connection is no longer HTTP. */
const WITHOUT_BODY = 1;
const UPGRADED = 2;

/** Calls the methods that are set on it by the numbers below; errors are returned, as in Node. */
export class HTTPParser {
  #parser;

  initialize(kind, _resource, maxHeaderSize) {
    const isRequest = kind === HTTPParser.REQUEST;
    this.#parser = new MessageParser(isRequest ? 'request' : 'response', {
      head: (message) => this.#head(message, isRequest),
      body: (bytes) => this[HTTPParser.kOnBody]?.(bytes),
      end: (trailers) => {
        if (trailers.length > 0) this[HTTPParser.kOnHeaders]?.(trailers, '');
        this[HTTPParser.kOnMessageComplete]?.();
      },
    }, maxHeaderSize || undefined);
  }

  #head({ major, minor, rawHeaders, method, url, statusCode, statusMessage, isUpgrade, keepsAlive }, isRequest) {
    this[HTTPParser.kOnMessageBegin]?.();
    const isSwitching = isRequest ? isUpgrade || method === 'CONNECT' : statusCode === 101;
    const verdict = this[HTTPParser.kOnHeadersComplete]?.(
      major, minor, rawHeaders, isRequest ? METHODS.indexOf(method) : undefined, url, statusCode, statusMessage, isSwitching, keepsAlive,
    );
    if (verdict === UPGRADED || isSwitching) {
      this[HTTPParser.kOnMessageComplete]?.();
      return 'stop';
    }
    const isEmpty = !isRequest && (statusCode < 200 || statusCode === 204 || statusCode === 304);
    return verdict === WITHOUT_BODY || isEmpty ? 'none' : undefined;
  }

  /** The number of bytes that were read, or the error. */
  execute(bytes) {
    try {
      const rest = this.#parser.execute(bytes);
      return bytes.length - (rest?.length ?? 0);
    } catch (error) {
      if (!isParseError(error)) throw error;
      return error;
    }
  }

  finish() {
    return this.#parser.finish() ? undefined : unexpectedEnd();
  }
}

const NUMBERS = { REQUEST: 1, RESPONSE: 2, kOnMessageBegin: 0, kOnHeaders: 1, kOnHeadersComplete: 2, kOnBody: 3, kOnMessageComplete: 4, kOnExecute: 5, kOnTimeout: 6, kLenientNone: 0, kLenientHeaders: 1, kLenientChunkedLength: 2, kLenientKeepAlive: 4, kLenientAll: 255 };
Object.assign(HTTPParser, NUMBERS);
// The parser is not connected to a socket.
for (const name of ['close', 'consume', 'free', 'pause', 'remove', 'resume', 'unconsume']) HTTPParser.prototype[name] = () => {};

export const CRLF = '\r\n';
export const chunkExpression = /(?:^|\W)chunked(?:$|\W)/i;
export const continueExpression = /(?:^|\W)100-continue(?:$|\W)/i;
export const methods = METHODS;
export { hasBadContent as _checkInvalidHeaderChar, isToken as _checkIsHttpToken };

export default { _checkInvalidHeaderChar: hasBadContent, _checkIsHttpToken: isToken, chunkExpression, continueExpression, CRLF, HTTPParser, methods };
