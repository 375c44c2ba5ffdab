// A text or a JSON value, of which a long one is cut until asked for.
import { useState } from 'preact/hooks';
import { EXTENTS, Json, Text } from '../../shared/content.jsx';
import { Copy } from '../../shared/copy.jsx';
import { parsed } from '../../shared/json.js';
import { stringify } from '../../shared/values.js';

export function Value({ value, extent, canCopy = false }) {
  const [isWhole, setWhole] = useState(false);
  const limits = EXTENTS[isWhole ? 'whole' : extent];
  const read = parsed(value);
  const Form = typeof read === 'string' ? Text : Json;
  return (
    <div class="content">
      {canCopy && (
        <span class="actions">
          <Copy text={() => (typeof value === 'string' ? value : stringify(value, 2))} />
        </span>
      )}
      <Form content={read} limits={limits} onWhole={() => setWhole(true)} />
    </div>
  );
}
