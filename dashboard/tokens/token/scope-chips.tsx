import type { Scope } from '../../session/may.tsx';
import { Icon } from '../../ui/icon.tsx';

/** The scopes of a token. The one that allows everything looks dangerous. */
export const ScopeChips = ({ scopes }: { scopes: Scope[] }) => (
  <ul class="chips" role="list">
    {scopes.map((scope) => (
      <li key={scope} class={scope === 'admin' ? 'chip mono danger' : 'chip mono'}>
        {scope === 'admin' && <Icon name="warning" />}
        {scope}
      </li>
    ))}
  </ul>
);
