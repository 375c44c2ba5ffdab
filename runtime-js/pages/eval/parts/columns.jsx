// The columns of a row: its input, and what only scores read.
import { Value } from './value.jsx';

export const Columns = ({ row, extent }) => (
  <dl class="fields">
    {Object.entries(row.input).map(([name, value]) => (
      <Field key={`i${name}`} name={name} value={value} extent={extent} />
    ))}
    {Object.entries(row.columns).map(([name, value]) => (
      <Field key={`c${name}`} name={name} kind="for scores" value={value} extent={extent} />
    ))}
  </dl>
);

const Field = ({ name, kind, value, extent }) => (
  <div>
    <dt>
      <bdi>{name}</bdi> {kind && <small>{kind}</small>}
    </dt>
    <dd>
      <Value value={value} extent={extent} />
    </dd>
  </div>
);
