// Width of text in terminal columns.

const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1f64f}\u{1f680}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const NOTHING = /[\p{Mn}\p{Me}\p{Cf}\p{Cc}]/u;
const CONTROL = /\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07/g;

export function textWidth(text) {
  let width = 0;
  for (const character of text.replace(CONTROL, '')) width += WIDE.test(character) ? 2 : NOTHING.test(character) ? 0 : 1;
  return width;
}

/** The cursor position after `text` on a terminal of that many columns. */
export function positionAfter(text, columns) {
  let [rows, column] = [0, 0];
  for (const character of text.replace(CONTROL, '')) {
    if (character === '\n') [rows, column] = [rows + 1, 0];
    else {
      const width = character === '\t' ? 8 - (column % 8) : textWidth(character);
      if (column + width > columns) [rows, column] = [rows + 1, 0];
      column += width;
    }
  }
  return column === columns ? { rows: rows + 1, cols: 0 } : { rows, cols: column };
}
