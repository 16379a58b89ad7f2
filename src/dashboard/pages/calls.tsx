import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { Call } from '../api/items.ts';
import { ask } from '../api/request.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Action } from '../parts/action.tsx';
import { CallBadge } from '../parts/badge.tsx';
import { Card } from '../parts/card.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useDraft, valuesOf } from '../parts/draft.ts';
import { Choice, Field, Form } from '../parts/form.tsx';
import { Duration, Moment } from '../parts/moment.tsx';
import { Loaded } from '../parts/notes.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { texts } from '../texts.ts';
import { History } from './call/history.tsx';
import { otherSide } from './call/other-side.ts';

const t = texts.calls;

/** Those that change what a list of calls shows. */
export const LIST_EVENTS = ['call_invite', 'call_state', 'call_error', 'call_waiting'] as const;

/** The live calls, and a new one. */
export function CallsPage() {
  const calls = useAnswer('GET /api/calls', {}, { on: LIST_EVENTS, everyMs: 10_000 });
  const [isPlacing, setPlacing] = useState(false);
  return (
    <>
      <PageHead title={texts.nav.calls}>
        <button type="button" class="primary" onClick={() => setPlacing(true)}>
          {t.place}
        </button>
      </PageHead>
      {isPlacing && <PlaceCall onClose={() => setPlacing(false)} />}
      <Card title={t.live}>
        <Loaded answer={calls}>{(data) => <CallRows calls={data.calls} />}</Loaded>
      </Card>
      <History />
    </>
  );
}

/** The newest first. */
export function CallRows({ calls }: { readonly calls: readonly Call[] }) {
  return (
    <Rows of={[...calls].reverse()} none={t.none} class="long">
      {(call) => (
        <Row
          key={call.call_id}
          title={otherSide(call)}
          href={`/calls/${call.call_id}`}
          note={
            <>
              {texts.platforms[call.platform]} · {t.directions[call.direction]} ·{' '}
              <Moment iso={call.created_at} />
            </>
          }
        >
          <Duration from={call.created_at} to={call.ended_at} />
          <CallBadge state={call.state} />
          {call.state === 'ringing' && call.direction === 'inbound' && <Answering callId={call.call_id} />}
        </Row>
      )}
    </Rows>
  );
}

/** The buttons of a ringing call. */
export function Answering({ callId }: { readonly callId: string }) {
  const params = { call_id: callId };
  return (
    <span class="row">
      <Action class="primary" run={() => ask('POST /api/call/{call_id}/accept', { params })}>
        {t.accept}
      </Action>
      <Action class="danger" run={() => ask('POST /api/call/{call_id}/refuse', { params })}>
        {t.refuse}
      </Action>
    </span>
  );
}

function PlaceCall({ onClose }: { onClose(): void }) {
  const [, navigate] = useLocation();
  const draft = useDraft({ platform: 'sip', meeting_url: '' });
  const submit = async (): Promise<void> => {
    const call = await ask('POST /api/call', { body: valuesOf(draft) });
    navigate(`/calls/${call.call_id}`);
  };
  return (
    <Dialog title={t.place} onClose={onClose}>
      <Form submit={submit} action={t.place} onCancel={onClose}>
        <Choice label={t.platform} of={draft.platform} options={t.callable} />
        <Field
          label={t.target}
          hint={t.targetHint}
          of={draft.meeting_url}
          maxLength={2048}
          autocomplete="off"
        />
      </Form>
    </Dialog>
  );
}
