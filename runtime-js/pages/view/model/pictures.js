// Pictures and files of messages and tool results.
import { text } from '../../shared/values.js';

/** Longer data is named, not shown. */
const MOST = 6_000_000;

/** The beginnings of pictures in base64. */
const TYPES = { iVBORw0KGgo: 'png', '/9j/': 'jpeg', R0lGOD: 'gif', UklGR: 'webp' };

/** `{src, words}`: a picture as a data URL, and its description; `src` is null for what is not shown. */
export function pictureOf({ type, image, data, mediaType, filename }) {
  const source = text(image ?? data);
  const isAddress = /^https?:/i.test(source);
  const size = isAddress ? source : `${Math.ceil((source.length * 3) / 4 / 1024)} KB`;
  const src = isAddress || source.length > MOST ? null : dataUrl(source);
  const known = [filename && `“${text(filename)}”`, mediaType && text(mediaType), size].filter(Boolean).join(', ');
  return { src, words: `${type === 'image' || src ? 'Image' : 'File'}: ${known}` };
}

/** The data says itself what it is, whatever the part calls it. Vector graphics are not shown, as they are programs. */
function dataUrl(source) {
  const base64 = source.replace(/^data:[^,]{0,200};base64,/i, '');
  const known = Object.keys(TYPES).find((start) => base64.startsWith(start));
  return known && /^[\w+/=\s-]+$/.test(base64) ? `data:image/${TYPES[known]};base64,${base64}` : null;
}

/** Whether a value is a list of parts with pictures or files among its texts, as tools of MCP servers return it. */
export const hasMedia = (value) => Array.isArray(value) && value.some((part) => part?.type === 'media' && typeof part.data === 'string');
