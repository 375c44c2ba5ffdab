use super::{messages::format_limit, *};

const FREE: Estimate =
    Estimate { input_tokens: 0, input_cost: 0.0, output_token_price: 0.0, continues_step: false, batched: None };

fn budget(limits: Limits) -> Budget {
    Budget::new(limits)
}

fn tokens(tokens: u64) -> Budget {
    budget(Limits { tokens: Some(tokens), ..Limits::default() })
}

/// A request with this usage, at 10 dollars per million tokens of input and 20 of output.
fn step(budget: &mut Budget, input: u64, output: u64) -> Result<Option<u64>, String> {
    let allowance = budget.ask(Estimate { output_token_price: 20e-6, ..FREE }).map_err(|reached| reached.message)?;
    let cost =
        |usage: &Usage| Some(float(usage.input_tokens.unwrap()) * 10e-6 + float(usage.output_tokens.unwrap()) * 20e-6);
    budget.settle(allowance.request, &Usage::new(Some(input), Some(output)), 0, cost);
    Ok(allowance.output_left)
}

#[test]
fn the_step_after_the_last_is_refused() {
    let mut budget = budget(Limits { steps: Some(2), ..Limits::default() });
    assert_eq!((step(&mut budget, 1, 1), step(&mut budget, 1, 1)), (Ok(None), Ok(None)));
    let message = step(&mut budget, 1, 1).unwrap_err();
    let expected = "The run was ended at its step limit of 2 steps: 2 steps were used. Set --max-steps or \
                    config.limits.steps higher to let it go further.";
    assert_eq!(message, expected);
}

#[test]
fn answers_are_cut_to_the_tokens_that_are_left() {
    let mut budget = tokens(1000);
    assert_eq!(step(&mut budget, 500, 100), Ok(Some(1000)));
    assert_eq!(step(&mut budget, 380, 15), Ok(Some(400)));
    assert_eq!(step(&mut budget, 1, 1), Ok(Some(5)));
    assert_eq!(step(&mut budget, 9, 9), Ok(Some(3)));
    let message = step(&mut budget, 1, 1).unwrap_err();
    assert!(message.contains("token limit of 1000 tokens: 1015 tokens were used in 4 steps"), "{message}");
}

#[test]
fn answers_are_limited_by_the_remaining_money() {
    let mut budget = budget(Limits { cost: Some(0.01), ..Limits::default() });
    assert_eq!(step(&mut budget, 500, 100), Ok(Some(500)));
    assert_eq!(step(&mut budget, 100, 100), Ok(Some(150)));
    let message = step(&mut budget, 1, 1).unwrap_err();
    assert!(message.contains("cost limit of $0.01: $0.01 was spent in 2 steps. Set --max-cost or"), "{message}");
    // Requests without cost are still allowed.
    assert_eq!(budget.ask(FREE).unwrap().output_left, None);
}

#[test]
fn text_counts_as_it_arrives() {
    let mut budget = tokens(100);
    let request = budget.ask(FREE).unwrap().request;
    assert_eq!(budget.add_output(request, &"word".repeat(100)), Ok(()));
    // The text of the first request counts against the second.
    let message = budget.ask(FREE).unwrap_err().message;
    assert!(message.contains("about 100 tokens were used in 1 step."), "{message}");
    assert!(budget.add_output(request, &"word".repeat(30)).is_err());
    // The actual usage was lower.
    budget.settle(request, &Usage::new(Some(5), Some(80)), 0, |_| None);
    assert_eq!(budget.ask(FREE).unwrap().output_left, Some(15));
}

#[test]
fn requests_at_the_same_time_share_what_is_left() {
    let mut budget = tokens(1000);
    let first = budget.ask(FREE).unwrap().request;
    let second = budget.ask(FREE).unwrap().request;
    assert_eq!(budget.add_output(first, &"word".repeat(600)), Ok(()));
    assert_eq!(budget.ask(FREE).unwrap().output_left, Some(400));
    budget.settle(first, &Usage::new(Some(990), Some(5)), 0, |_| None);
    assert!(budget.add_output(second, &"word".repeat(50)).is_err());
}

#[test]
fn requests_reserve_their_own_tokens() {
    let mut budget = tokens(1000);
    let of = |input_tokens| Estimate { input_tokens, ..FREE };
    let first = budget.ask(of(300)).unwrap();
    assert_eq!(first.output_left, Some(700));
    assert_eq!(budget.ask(of(600)).unwrap().output_left, Some(100));
    let message = budget.ask(of(200)).unwrap_err().message;
    let words = "about 900 tokens were used in 2 steps, and the next request has about 200 tokens. Set";
    assert!(message.contains(words), "{message}");
    // The actual usage was lower, and the refused request took nothing.
    budget.settle(first.request, &Usage::new(Some(100), Some(50)), 0, |_| None);
    assert_eq!(budget.ask(of(200)).unwrap().output_left, Some(50));
    budget.release(RequestId(1));
    assert_eq!(budget.ask(FREE).unwrap().output_left, Some(650));
}

#[test]
fn input_is_paid_for_before_it_is_answered() {
    let mut budget = budget(Limits { cost: Some(1.0), ..Limits::default() });
    let asked = Estimate { input_tokens: 100, input_cost: 0.4, output_token_price: 0.01, ..FREE };
    assert_eq!(budget.ask(asked).unwrap().output_left, Some(60));
    assert_eq!(budget.ask(asked).unwrap().output_left, Some(20));
    let message = budget.ask(asked).unwrap_err().message;
    assert!(message.contains("about $0.80 was spent in 2 steps, and the next request takes about $0.40"), "{message}");
}

#[test]
fn unreported_usage_is_estimated() {
    let mut budget = tokens(1000);
    let request = budget.ask(FREE).unwrap().request;
    budget.add_output(request, &"word".repeat(300)).unwrap();
    budget.settle(request, &Usage::default(), 400, |_| None);
    assert_eq!(budget.ask(FREE).unwrap().output_left, Some(600));
    budget.set_file_limits(Limits { time: Some(Duration::from_millis(1500)), ..Limits::default() });
    let reached = budget.time_limit_reached();
    let words = "time limit of 1.5 s: 2 steps and about 400 tokens were used until then. Set --timeout or";
    assert!(reached.message.contains(words), "{}", reached.message);
}

#[test]
fn limits_are_formatted() {
    let formatted =
        [500, 2_000, 90_000, 120_000, 1_250].map(|milliseconds| format_limit(Duration::from_millis(milliseconds)));
    assert_eq!(formatted, ["500 ms", "2 s", "90 s", "2 min", "1.25 s"]);
}

/// A resumed run that has used 7 steps, 4500 tokens, 12 cents and 40 seconds.
fn resumed(typed: Limits, file: Limits) -> Budget {
    let before = RunUsage { steps: 7, tokens: 4500, cost: 0.12, time: Duration::from_secs(40) };
    let mut budget = Budget::after(before, typed);
    budget.set_file_limits(file);
    budget
}

#[test]
fn earlier_usage_counts_for_limits_of_the_file() {
    let file = |file: Limits| resumed(Limits::default(), file);
    let mut steps = file(Limits { steps: Some(8), ..Limits::default() });
    assert_eq!(step(&mut steps, 1, 1), Ok(None));
    let message = step(&mut steps, 1, 1).unwrap_err();
    let expected = "The run was ended at its step limit of 8 steps: 8 steps were used (7 before the run was resumed). \
                    Set config.limits.steps higher to let it go further.";
    assert_eq!(message, expected);
    let mut tokens = file(Limits { tokens: Some(5000), ..Limits::default() });
    assert_eq!(step(&mut tokens, 500, 1), Ok(Some(500)));
    let message = step(&mut tokens, 1, 1).unwrap_err();
    let words = "limit of 5000 tokens: 5001 tokens were used in 8 steps (4500 in 7 steps before the run was resumed). Set config";
    assert!(message.contains(words), "{message}");
    let mut cost = file(Limits { cost: Some(0.121), ..Limits::default() });
    assert_eq!(step(&mut cost, 0, 50), Ok(Some(50)));
    let message = step(&mut cost, 1, 1).unwrap_err();
    assert!(message.contains("$0.121 was spent in 8 steps ($0.12 in 7 steps before the run was resumed)"), "{message}");
    let time = file(Limits { time: Some(Duration::from_secs(90)), ..Limits::default() });
    assert_eq!(time.time(), Some(Duration::from_secs(50)));
    let message = time.time_limit_reached().message;
    assert!(
        message.contains("limit of 90 s: 7 steps and 4500 tokens were used until then (40 s of the time"),
        "{message}"
    );
    // More time has passed than the limit allows.
    assert_eq!(file(Limits { time: Some(Duration::from_secs(9)), ..Limits::default() }).time(), Some(Duration::ZERO));
}

#[test]
fn earlier_usage_does_not_count_for_limits_of_the_command_line() {
    let typed = |typed: Limits| resumed(typed, Limits { tokens: Some(50_000), ..Limits::default() });
    let mut steps = typed(Limits { steps: Some(1), ..Limits::default() });
    assert_eq!(step(&mut steps, 1, 1), Ok(Some(45_500)));
    let message = step(&mut steps, 1, 1).unwrap_err();
    let expected = "The run was ended at its step limit of 1 step: 1 step was used since the run was resumed. \
                    Set --max-steps higher to let it go further.";
    assert_eq!(message, expected);
    let mut tokens = typed(Limits { tokens: Some(500), ..Limits::default() });
    assert_eq!(step(&mut tokens, 500, 1), Ok(Some(500)));
    let message = step(&mut tokens, 1, 1).unwrap_err();
    let words =
        "limit of 500 tokens: 501 tokens were used in 1 step since the run was resumed. Set --max-tokens higher";
    assert!(message.contains(words), "{message}");
    let mut cost = typed(Limits { cost: Some(0.001), ..Limits::default() });
    assert_eq!(step(&mut cost, 0, 50), Ok(Some(50)));
    let message = step(&mut cost, 1, 1).unwrap_err();
    assert!(message.contains("limit of $0.001: $0.001 was spent in 1 step since the run was resumed"), "{message}");
    let time = typed(Limits { time: Some(Duration::from_secs(90)), ..Limits::default() });
    assert_eq!(time.time(), Some(Duration::from_secs(90)));
    let message = time.time_limit_reached().message;
    assert!(message.contains("limit of 90 s: 0 steps and 0 tokens were used since"), "{message}");
}

#[test]
fn the_nearer_limit_of_command_line_and_file_counts() {
    let both = |typed| {
        let limits = |steps| Limits { steps: Some(steps), ..Limits::default() };
        let mut budget = resumed(limits(typed), limits(9));
        (0..9).find_map(|_| step(&mut budget, 1, 1).err()).unwrap()
    };
    assert!(both(1).contains("1 step was used since"), "{}", both(1));
    assert!(both(3).contains("9 steps were used (7 before"), "{}", both(3));
}

/// A request in a batch, at 20 dollars per million tokens of output.
fn batched(step: usize, max_output: Option<u64>) -> Estimate {
    let batched = Some(BatchedRequest { step, max_output, stage: BatchStage::New });
    Estimate { input_tokens: 10, output_token_price: 20e-6, batched, ..FREE }
}

#[test]
fn requests_in_batches_share_what_is_left() {
    let mut budget = tokens(10_000);
    budget.expect_batches(20);
    let first: Vec<_> = (0..20).map(|_| budget.ask(batched(0, None)).unwrap()).collect();
    assert_eq!((first[0].output_left, first[19].output_left), (Some(999), Some(980)));
    assert_eq!(budget.outlook(), Outlook::Unknown);
    for allowance in &first[..10] {
        budget.settle(allowance.request, &Usage::new(Some(10), Some(490)), 0, |_| None);
    }
    assert_eq!(budget.outlook(), Outlook::Fits, "ten more take 5000");
    // Of the next step the same is expected, until it is known.
    assert!(budget.ask(batched(1, None)).is_err());
    let mut budget = tokens(9_000);
    budget.expect_batches(20);
    let first: Vec<_> = (0..20).map(|_| budget.ask(batched(0, None)).unwrap()).collect();
    for allowance in &first[..10] {
        budget.settle(allowance.request, &Usage::new(Some(10), Some(490)), 0, |_| None);
    }
    let Outlook::Above(fitting, reached) = budget.outlook() else { panic!("they do not fit") };
    assert_eq!(fitting, 8);
    let expected = "5000 tokens were used in 10 steps, and 10 requests more would take about 5000 tokens.";
    assert!(reached.message.contains(expected), "{}", reached.message);
}

#[test]
fn the_longest_answers_that_the_author_allows_are_reserved() {
    let mut budget = budget(Limits { cost: Some(0.1), ..Limits::default() });
    budget.expect_batches(100);
    let cost = 1000.0 * 20e-6;
    assert!((1..=5).all(|_| budget.ask(batched(0, Some(1000))).is_ok()), "each takes {cost}");
    let reached = budget.ask(batched(0, Some(1000))).unwrap_err();
    assert!(reached.message.contains("$0.00 was spent in 0 steps, and 6 requests more"), "{}", reached.message);
    assert_eq!(budget.outlook(), Outlook::Fits);
}
