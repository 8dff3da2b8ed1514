import { useState } from 'preact/hooks';
import type { CreateWebhook, NewWebhook, Webhook } from '../../client/index.ts';
import { KINDS } from '../activity/kinds.ts';
import { useSession } from '../session/session.ts';
import { CancelButton, Dialog } from '../ui/dialog.tsx';
import { Failure } from '../ui/failure.tsx';
import { Field } from '../ui/field.tsx';
import { useSubmit } from '../ui/use-submit.ts';

interface Props {
  /** The webhook to change; without it, a new one is created. */
  webhook?: Webhook;
  onClose(): void;
  onCreated?(webhook: NewWebhook): void;
  onChanged?(): void;
}

export function WebhookFormDialog({ webhook, onClose, onCreated, onChanged }: Props) {
  const { client } = useSession();
  const [isAll, setIsAll] = useState(webhook?.types.includes('*') ?? false);
  const form = useSubmit(['url', 'types', 'description'], async (data) => {
    const description = String(data.get('description')).trim();
    const fields = {
      url: String(data.get('url')).trim(),
      types: (isAll ? ['*'] : data.getAll('types')) as CreateWebhook['types'],
      payload: String(data.get('payload')) as CreateWebhook['payload'],
      ordering: String(data.get('ordering')) as CreateWebhook['ordering'],
      // The API cannot remove a description.
      ...(description !== '' && { description }),
    };
    if (!webhook) return onCreated?.(await client.webhooks.create(fields));
    await client.webhooks.update(webhook.id, { ...fields, enabled: data.has('enabled') });
    onChanged?.();
  });
  const verb = webhook ? 'Save' : 'Create';

  return (
    <Dialog title={webhook ? 'Edit the webhook' : 'Create a webhook'} onClose={onClose}>
      <form class="stack" ref={form.ref} onSubmit={form.submit} noValidate>
        <Field label="URL" hint="An https address that the Internet can reach." error={form.errorAt('url')}>
          {(field) => (
            <input {...field} name="url" type="url" autocomplete="off" autofocus value={webhook?.url} />
          )}
        </Field>
        <Field
          label="Description"
          hint="Optional. It helps you find it again."
          error={form.errorAt('description')}
        >
          {(field) => (
            <input {...field} name="description" autocomplete="off" value={webhook?.description ?? ''} />
          )}
        </Field>
        <fieldset class="field" aria-describedby="types-error">
          <legend>Events</legend>
          <label class="check">
            <input
              type="checkbox"
              checked={isAll}
              aria-invalid={form.errorAt('types') ? true : undefined}
              onChange={(event) => setIsAll(event.currentTarget.checked)}
            />
            <span>All events, also those of types to come</span>
          </label>
          {!isAll &&
            Object.entries(KINDS).map(([type, title]) => (
              <label key={type} class="check">
                <input
                  type="checkbox"
                  name="types"
                  value={type}
                  defaultChecked={webhook?.types.includes(type as CreateWebhook['types'][number])}
                />
                <span>
                  {title} <code class="quiet">{type}</code>
                </span>
              </label>
            ))}
          <p class="error" id="types-error" role="alert">
            {form.errorAt('types') && 'Select at least one type of events.'}
          </p>
        </fieldset>
        <div class="columns">
          <Field label="Content">
            {(field) => (
              <select {...field} name="payload" defaultValue={webhook?.payload ?? 'full'}>
                <option value="full">The whole event</option>
                <option value="thin">Without data: nothing personal</option>
              </select>
            )}
          </Field>
          <Field label="Order">
            {(field) => (
              <select {...field} name="ordering" defaultValue={webhook?.ordering ?? 'none'}>
                <option value="none">As fast as possible</option>
                <option value="organization">One after the other</option>
              </select>
            )}
          </Field>
        </div>
        {webhook && (
          <label class="check">
            <input type="checkbox" name="enabled" defaultChecked={webhook.enabled} />
            <span>Enabled: what happens while it is off is not sent later</span>
          </label>
        )}
        <Failure error={form.error} />
        <div class="buttons">
          <CancelButton />
          <button class="primary" aria-disabled={form.busy}>
            {form.busy ? `${webhook ? 'Saving' : 'Creating'} …` : `${verb} webhook`}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
