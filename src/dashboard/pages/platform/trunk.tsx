import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import type { Body } from '../../parts/field.ts';
import { Form } from '../../parts/form.tsx';
import { Card, ErrorNote } from '../../parts/layout.tsx';
import { State, stateName } from '../../parts/state.tsx';
import { texts } from '../../texts.ts';
import { t } from './trunk.texts.ts';

type Stored = Answers['GET /api/sip/trunk'];

const USUAL = { port: 5060, transport: 'udp', srtp: 'off', register: true, behind_nat: false };

/** The trunk to a telephone provider, and whether it is registered. */
export function Trunk() {
  const trunk = useAnswer('GET /api/sip/trunk', { everyMs: 5_000 });
  const isMissing = trunk.error?.status === 404;
  const stored = isMissing ? undefined : trunk.data;
  return (
    <Card title={t.title}>
      {trunk.error && !isMissing && <ErrorNote error={trunk.error} />}
      {stored && <Registration {...stored} />}
      {(stored || isMissing) && <TrunkForm key={`${isMissing}`} stored={stored} />}
      {stored && (
        <Confirm
          class="quietly"
          action={t.remove}
          question={t.removeQuestion}
          run={() => ask('DELETE /api/sip/trunk')}
        />
      )}
    </Card>
  );
}

function Registration({ registration, inbound_uri: uri }: Stored) {
  const { state, last_error: error } = registration;
  return (
    <>
      <p class="row">
        <State of={state} kind="trunk" />
        {error !== null && <span class="small">{stateName(error)}</span>}
      </p>
      {uri !== null && (
        <details>
          <summary>{t.inbound}</summary>
          <p class="quiet small">{t.inboundHint}</p>
          <Copyable text={uri} label={t.inbound} />
        </details>
      )}
    </>
  );
}

/** Sends all that can be set, also what the form does not show: saving must not reset it. */
function TrunkForm({ stored }: { readonly stored: Stored | undefined }) {
  const {
    registration: _registration,
    inbound_uri: _uri,
    ...settings
  } = stored ?? (USUAL as Partial<Stored>);
  const submit = (body: Body) => ask('PUT /api/sip/trunk', { body: { ...settings, ...body } });
  return (
    <Form
      fields={t.fields(stored !== undefined)}
      stored={settings}
      submit={submit}
      action={stored ? texts.save : t.connect}
      done={t.saved}
      isGrid
    />
  );
}
