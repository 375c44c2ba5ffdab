// Color support of the terminal, from environment variables.
import { quietEnvironment } from './environment.js';

const COLORS = [[24, 16_777_216], [8, 256], [4, 16], [1, 2]];

/** Bits of color: 1, 4, 8 or 24. */
export function getColorDepth(env = quietEnvironment()) {
  const forced = { '': 4, '1': 4, true: 4, '2': 8, '3': 24 }[env.FORCE_COLOR];
  if (env.FORCE_COLOR !== undefined) return forced ?? 1;
  if (env.NODE_DISABLE_COLORS !== undefined || env.NO_COLOR !== undefined || env.TERM === 'dumb') return 1;
  if (env.TMUX) return 24;
  if (env.COLORTERM === 'truecolor' || env.COLORTERM === '24bit') return 24;
  const term = env.TERM ?? '';
  if (/-256(?:color)?$/i.test(term) || term === 'xterm-kitty') return term === 'xterm-kitty' ? 24 : 8;
  if (env.TERM_PROGRAM === 'iTerm.app' || env.TERM_PROGRAM === 'Apple_Terminal') return 8;
  return term === '' && !env.COLORTERM ? 1 : 4;
}

export function hasColors(count = 16, env = undefined) {
  if (typeof count === 'object') [count, env] = [16, count];
  const depth = getColorDepth(env);
  return count <= COLORS.find(([bits]) => bits === depth)[1];
}
