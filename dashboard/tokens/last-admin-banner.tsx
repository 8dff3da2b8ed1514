import { FocusedBanner } from '../ui/focused-banner.tsx';

/** The second question before the last active admin token ends. */
export const LastAdminBanner = ({ children }: { children: string }) => (
  <FocusedBanner>
    <p>
      <strong>This is the last active admin token.</strong> {children}
    </p>
    <p>
      The way back in is the command line: <code>ums tokens create --organization … --scopes admin</code>
    </p>
  </FocusedBanner>
);
