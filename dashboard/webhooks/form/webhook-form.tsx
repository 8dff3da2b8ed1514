import { useLayoutEffect } from 'preact/hooks';
import type { CreateWebhook, Webhook } from '../../../client/index.ts';
import { ORDERINGS, PAYLOADS } from '../../activity/webhook-values.ts';
import { CancelButton } from '../../ui/dialog.tsx';
import { Failure } from '../../ui/failure.tsx';
import { CheckField, InputField } from '../../ui/field.tsx';
import { InPlace } from '../../ui/leaving.tsx';
import { SelectField } from '../../ui/select-field.tsx';
import { useSubmit } from '../../ui/use-submit.ts';
import { EventsField } from './events-field.tsx';
import { type Types, useTypes } from './use-types.ts';

type WebhookFields = CreateWebhook & { enabled?: boolean };

interface Props {
  /** The webhook to change; without it, a new one is created. */
  webhook?: Webhook;
  onSave(fields: WebhookFields): Promise<void>;
  onCancel(): void;
}

/** The fields of a webhook, with the buttons always in view. */
export function WebhookForm({ webhook, onSave, onCancel }: Props) {
  const types = useTypes((webhook?.types ?? []) as Types);
  const form = useSubmit(['url', 'types', 'description'], (data) => {
    const description = String(data.get('description')).trim();
    return onSave({
      url: String(data.get('url')).trim(),
      types: types.types,
      payload: String(data.get('payload')) as CreateWebhook['payload'],
      ordering: String(data.get('ordering')) as CreateWebhook['ordering'],
      // The API cannot remove a description.
      ...(description !== '' && { description }),
      ...(webhook && { enabled: data.has('enabled') }),
    });
  });
  useLayoutEffect(() => {
    if (webhook) form.ref.current!.querySelector('input')!.focus(); // a new one has a page, whose heading has it
  }, []);
  const { errorAt } = form;

  return (
    <InPlace onClose={onCancel}>
      <form class="webhook-form" ref={form.ref} onSubmit={form.submit} noValidate>
        <div class="stack">
          <InputField
            label="URL"
            hint="An https address that the Internet can reach."
            error={errorAt('url')}
            name="url"
            type="url"
            defaultValue={webhook?.url}
          />
          <InputField
            label="Description"
            hint="Optional. It helps you find it again."
            error={errorAt('description')}
            name="description"
            defaultValue={webhook?.description ?? ''}
          />
          <EventsField types={types} error={errorAt('types') && 'Select at least one type of events.'} />
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
              <span class="name">Enabled</span>{' '}
              <span class="quiet sub">What happens while it is off is not sent later.</span>
            </CheckField>
          )}
          <Failure error={form.error} />
        </div>
        <div class="buttons form-foot">
          <CancelButton />
          <button class="primary" aria-disabled={form.busy}>
            {labelOf(webhook, form.busy)}
          </button>
        </div>
      </form>
    </InPlace>
  );
}

function labelOf(webhook: Webhook | undefined, isBusy: boolean): string {
  if (webhook) return isBusy ? 'Saving …' : 'Save webhook';
  return isBusy ? 'Creating …' : 'Create webhook';
}
