import type { ComponentChildren } from 'preact';
import { baseUrl } from '../router/address.ts';
import { Link } from '../router/link.tsx';
import { CopyField } from '../ui/copy.tsx';
import { focusHeading } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { Panel } from '../ui/panel.tsx';
import type { Setup } from './use-setup.ts';

const CURL = `curl '${baseUrl.replaceAll("'", '%27')}/api/v1/users' -H "Authorization: Bearer $TOKEN"`;

/** What to do first in a new organization. */
export function GetStarted({ setup, onDismiss }: { setup: Setup; onDismiss(): void }) {
  const dismiss = () => {
    onDismiss();
    focusHeading();
  };
  return (
    <Panel
      title="Get started"
      aside={
        <button type="button" class="plain small" onClick={dismiss}>
          Dismiss
        </button>
      }
    >
      <ol role="list" class="checklist">
        <Step title="Add your first users" isDone={setup.hasUsers}>
          <p class="quiet">One at a time, or all at once from a CSV file.</p>
          <div class="checklist-actions">
            <Link to="users?new" class="button primary">
              Create a user
            </Link>
            <Link to="users/import" class="button">
              Import a file
            </Link>
          </div>
        </Step>
        <Step title="Connect a directory" isDone={setup.hasDirectory} isOptional>
          <p class="quiet">
            Okta, Microsoft Entra ID and others can keep users and groups up to date. Give them this address,
            and a token with the scopes <code>users:read</code>, <code>users:write</code> and{' '}
            <code>users:delete</code>.
          </p>
          <CopyField label="SCIM base URL" value={`${baseUrl}/scim/v2`} onCopied={() => {}} />
          <div class="checklist-actions">
            <Link to="tokens?new" class="button">
              Create a token for it
            </Link>
          </div>
        </Step>
        <Step title="Call the API" isDone={setup.hasToken}>
          <p class="quiet">Each of your programs has a token of its own. Put its value in place of $TOKEN.</p>
          <CopyField label="List users" value={CURL} rows={2} onCopied={() => {}} />
          <div class="checklist-actions">
            <Link to="tokens?new" class="button">
              Create a token
            </Link>
          </div>
        </Step>
      </ol>
    </Panel>
  );
}

interface StepProps {
  title: string;
  /** Undefined if it is nothing for the one who is signed in. */
  isDone: boolean | undefined;
  isOptional?: boolean;
  children: ComponentChildren;
}

/** A step with what it takes, until it is done. */
function Step({ title, isDone, isOptional = false, children }: StepProps) {
  if (isDone === undefined) return null;
  return (
    <li class={isDone ? 'done' : undefined}>
      <span class="checklist-mark">{isDone && <Icon name="check" />}</span>
      <h3>
        {title}
        {isDone ? <span class="unseen"> (done)</span> : isOptional && <span class="quiet"> (optional)</span>}
      </h3>
      {!isDone && <div class="checklist-body">{children}</div>}
    </li>
  );
}
