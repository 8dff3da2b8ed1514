import { FocusedBanner } from '../../ui/focused-banner.tsx';

/** The second question before the last active admin token ends. */
export const LastAdminBanner = ({ children }: { children: string }) => (
  <FocusedBanner>
    <p>
      <strong>No other admin token works for more than a week.</strong> {children}
    </p>
    <p>
      The way back in is the command line: <code>npx ums organizations list</code>, then{' '}
      <code>npx ums tokens create --organization &lt;id&gt; --name Admin --scopes admin</code>
    </p>
  </FocusedBanner>
);
