import { useState } from 'preact/hooks';
import type { CreateWebhook, NewWebhook, Webhook } from '../../client/index.ts';
import { KINDS } from '../activity/kinds.ts';
import { useSession } from '../session/session.ts';
import { CheckField, InputField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { SelectField } from '../ui/select-field.tsx';

export const PAYLOADS = { full: 'The whole event', thin: 'Without data: nothing personal' };
export const ORDERINGS = { none: 'As fast as possible', organization: 'One after the other' };

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
  const save = async (data: FormData) => {
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
  };

  return (
    <FormDialog
      title={webhook ? 'Edit the webhook' : 'Create a webhook'}
      action={webhook ? 'Save webhook' : 'Create webhook'}
      doing={webhook ? 'Saving …' : 'Creating …'}
      fields={['url', 'types', 'description']}
      onSubmit={save}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <InputField
            label="URL"
            hint="An https address that the Internet can reach."
            error={errorAt('url')}
            name="url"
            type="url"
            autofocus
            value={webhook?.url}
          />
          <InputField
            label="Description"
            hint="Optional. It helps you find it again."
            error={errorAt('description')}
            name="description"
            value={webhook?.description ?? ''}
          />
          <fieldset class="field" aria-describedby="types-error">
            <legend>Events</legend>
            <CheckField
              checked={isAll}
              aria-invalid={errorAt('types') ? true : undefined}
              onChange={(event) => setIsAll(event.currentTarget.checked)}
            >
              All events, also those of types to come
            </CheckField>
            {!isAll &&
              Object.entries(KINDS).map(([type, title]) => (
                <CheckField
                  key={type}
                  name="types"
                  value={type}
                  defaultChecked={webhook?.types.includes(type as CreateWebhook['types'][number])}
                >
                  {title} <code class="quiet">{type}</code>
                </CheckField>
              ))}
            <p class="error" id="types-error" role="alert">
              {errorAt('types') && 'Select at least one type of events.'}
            </p>
          </fieldset>
          <div class="columns">
            <SelectField
              label="Content"
              options={PAYLOADS}
              name="payload"
              defaultValue={webhook?.payload ?? 'full'}
            />
            <SelectField
              label="Order"
              options={ORDERINGS}
              name="ordering"
              defaultValue={webhook?.ordering ?? 'none'}
            />
          </div>
          {webhook && (
            <CheckField name="enabled" defaultChecked={webhook.enabled}>
              Enabled: what happens while it is off is not sent later
            </CheckField>
          )}
        </>
      )}
    </FormDialog>
  );
}
