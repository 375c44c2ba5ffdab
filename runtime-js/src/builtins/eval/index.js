// `lmthing/eval`, the import of eval files (docs/reference/eval.md).
import { answerOf, decide, isRun, readJudge, subjectJson } from 'lmthing:internal/judging';

const JUDGE = Symbol.for('lmthing.judge');

/** `judge(criterion, {model, need, of})`: a score by a model, which gets the answer of a cell, or of a run of a test. */
export function judge(criterion, options) {
  const judge = readJudge('judge', criterion, options);
  const score = async (cell) => {
    if (isRun(cell) && cell.error) throw new Error(`judge: there is nothing to judge: the run failed: ${cell.error.message}`);
    const isAnswer = cell !== null && typeof cell === 'object' && ('output' in cell || 'text' in cell);
    const { pass, verdicts } = await decide(judge, subjectJson(judge, isAnswer ? answerOf(cell) : cell));
    return { score: pass, pass, reason: reasonOf(judge, pass, verdicts) };
  };
  // Where the program finds its model.
  return Object.defineProperty(score, JUDGE, { value: judge.model });
}

/** The reasons of the verdicts that decided. */
function reasonOf(judge, pass, verdicts) {
  const reasons = verdicts.filter((verdict) => verdict.pass === pass).map(({ reason }) => reason);
  if (judge.of === 1) return reasons[0];
  const passed = verdicts.filter((verdict) => verdict.pass).length;
  return `${passed} of ${verdicts.length} verdicts are positive: ${reasons.join(' ')}`;
}

export default { judge };
