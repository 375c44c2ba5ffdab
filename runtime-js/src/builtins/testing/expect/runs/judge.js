// `toSatisfy(text, {model, need, of})`: a model judges whether a value satisfies a criterion.
import { answerOf, decide, isRun, readJudge, subjectJson } from 'lmthing:internal/judging';
import { flag, placeAt } from 'lmthing:internal/testing/expect';
import { failed, indented } from './check.js';

/** Rejects if the value does not satisfy the criterion; `here` locates the failure. */
export function judge(assertion, criterion, options, here) {
  const judge = readJudge('toSatisfy', criterion, options);
  const value = assertion._obj;
  if (isRun(value) && value.error) throw failed(assertion, `there is nothing to judge: the run failed: ${value.error.message}`);
  const subject = subjectJson(judge, isRun(value) ? answerOf(value) : value);
  const isNot = Boolean(flag(assertion, 'negate'));
  const check = async () => {
    const { pass, verdicts } = await decide(judge, subject);
    if (pass !== isNot) return;
    const passed = verdicts.filter((verdict) => verdict.pass).length;
    const needed = `${judge.need} of ${judge.of} needed`;
    const counted = judge.of > 1 ? `, ${passed} of ${verdicts.length} verdicts said so, ${needed}` : '';
    const reasons = verdicts.filter((verdict) => verdict.pass === isNot).map(({ reason }) => reason).join('\n');
    const message = `expected the subject ${isNot ? 'not ' : ''}to satisfy '${criterion}'${counted}:\n${indented(reasons)}`;
    throw failed(assertion, `${message}\n\nThe subject was:\n${indented(subject)}`);
  };
  return check().catch((error) => {
    throw placeAt(error, here);
  });
}
