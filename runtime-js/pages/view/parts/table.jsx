// A table under a summary that opens it.
export const Table = ({ class: name, open, title, columns, children }) => (
  <details class={name} open={open}>
    <summary>{title}</summary>
    <div class="wide">
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  </details>
);
