// A mean with its 95 % interval, drawn from 0 to 1. The numbers stand next to it.
const percent = (value) => `${Math.min(Math.max(value, 0), 1) * 100}%`;

/** `reference` is the mean of the first group, a line to compare with. */
export function Interval({ mean, low, high, reference }) {
  return (
    <span class="interval" aria-hidden="true" style={{ '--low': percent(low), '--high': percent(high), '--mean': percent(mean) }}>
      <i class="span" />
      {typeof reference === 'number' && <i class="reference" style={{ left: percent(reference) }} />}
      <i class="mean" />
    </span>
  );
}
