//! Prompts that a script runs itself, and parallel calls of model-written code, in a resumed run
//! (docs/reference/resume.md).

use crate::support::resume::Project;

#[test]
fn prompts_of_one_function_are_distinguished_by_their_call() {
    let project = Project::mocked(
        "import { runPrompt } from 'lmthing';
        import { createMockModel } from 'lmthing/test';
        export const mock = [
          call('a', 'review', { draft: 'one' }), call('b', 'review', { draft: 'two' }), text('end'),
        ];
        export default ({ $, defTool }) => {
          defTool('review', 'r', z.object({ draft: z.string() }), async ({ draft }) => {
            const model = createMockModel([text(`review of ${draft}`)]);
            const { result } = await runPrompt(({ $ }) => { note(`asked for ${draft}`); $`${draft}`; }, { model });
            let streamed = '';
            for await (const piece of result.textStream) streamed += piece;
            note(`got ${streamed}`);
            if (draft === 'two') die();
            return streamed;
          });
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    let lines = project.lines("done.log");
    // The finished prompt is restored and returns its text again, also as a stream.
    let got: Vec<_> = lines.iter().filter(|line| line.starts_with("got")).collect();
    assert_eq!(got, ["got review of one", "got review of two", "got review of two"]);
}

#[test]
fn calls_of_code_that_run_at_the_same_time_are_found_by_what_they_ask_for() {
    let project = Project::mocked(
        "const code = `const chain = async (n: number) => g({ n: await f({ n }) });
          const first = chain(1);
          await Promise.all([chain(2), chain(3)]);
          await release({ n: 0 });
          return await first;`;
        export const mock = [call('c', 'runToolCode', { code }), text('end')];
        export default ({ $, defFunction }) => {
          const args = z.object({ n: z.number() });
          const waiting = [];
          defFunction('f', 'f', args, async ({ n }) => {
            note(`f ${n}`);
            if (n === 1 && !fs.existsSync('dead')) await new Promise((done) => waiting.push(done));
            return 10 * n;
          }, z.number());
          defFunction('g', 'g', args, ({ n }) => {
            note(`g ${n}`);
            if (n === 10) die();
            return n;
          }, z.number());
          // The code calls it when the results of the other chains are there, and so in the journal.
          defFunction('release', 'release', args, () => {
            waiting.forEach((done) => done());
            return 0;
          }, z.number());
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    let mut lines = project.lines("done.log");
    lines.sort();
    // Only the call that was running is repeated.
    assert_eq!(lines, ["f 1", "f 2", "f 3", "g 10", "g 10", "g 20", "g 30"]);
}

#[test]
fn a_prompt_that_is_run_once_more_by_hand_does_not_touch_the_log_of_its_first_run() {
    let project = Project::mocked(
        "import { StatefulPrompt } from 'lmthing';
        import { createMockModel } from 'lmthing/test';
        export const mock = [call('a', 'work'), call('b', 'break'), text('end')];
        export default ({ $, defTool }) => {
          defTool('work', 'w', none, async () => {
            const prompt = new StatefulPrompt(createMockModel([text('first'), { type: 'finish' }, text('second')]));
            prompt.$`hello`;
            return `${await prompt.run().text} ${await prompt.run().text}`;
          });
          defTool('break', 'b', none, () => { note('break'); die(); return 'ok'; });
          $`go`;
        };",
    );
    project.killed();
    assert_eq!(project.resumed(), "end\n");
    let lines = project.run("runs export last").stdout;
    let results: Vec<_> = lines.lines().filter(|line| line.contains("\"tool-result\"")).collect();
    assert!(results[0].contains("\"output\":\"first second\""), "{results:?}");
}
