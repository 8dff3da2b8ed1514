/** Names of the API, such as scopes and types of events. */
export const CodeChips = ({ names }: { names: string[] }) => (
  <ul class="chips" role="list">
    {names.map((name) => (
      <li key={name} class="chip mono">
        {name}
      </li>
    ))}
  </ul>
);
