import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Loaded } from '../../parts/notes.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import { Source } from '../../parts/source.tsx';
import { texts } from '../../texts.ts';
import { DeliveryBadge } from './delivery-badge.tsx';

type Detail = Answers['GET /api/agent-deliveries/{id}'];

const t = texts.deliveries;
const PAGE = 50;

/** The events that a model was asked about, and what came of them. */
export function Deliveries({ agentId }: { readonly agentId: string }) {
  const [offset, setOffset] = useState(0);
  const [openId, setOpenId] = useState<string>();
  const list = useAnswer(
    'GET /api/agents/{agent_id}/deliveries',
    { params: { agent_id: agentId }, query: { limit: PAGE, offset } },
    { on: ['dm_', 'call_'], everyMs: 10_000 },
  );
  return (
    <section class="card">
      <Loaded answer={list}>
        {({ deliveries, total }) => (
          <>
            <Rows of={deliveries} none={t.none}>
              {({ id, event_type: type, status, created_at: at, error }) => (
                <Row
                  key={id}
                  title={
                    <button type="button" class="link" onClick={() => setOpenId(id)}>
                      {texts.provider.eventTypes[type] ?? type}
                    </button>
                  }
                  note={error ?? <Moment iso={at} />}
                >
                  <DeliveryBadge status={status} />
                </Row>
              )}
            </Rows>
            {total > PAGE && (
              <div class="row">
                <button type="button" disabled={offset === 0} onClick={() => setOffset(offset - PAGE)}>
                  {texts.newer}
                </button>
                <button
                  type="button"
                  disabled={offset + PAGE >= total}
                  onClick={() => setOffset(offset + PAGE)}
                >
                  {texts.older}
                </button>
              </div>
            )}
          </>
        )}
      </Loaded>
      {openId !== undefined && (
        <OneDelivery id={openId} onClose={() => setOpenId(undefined)} onReplay={list.reload} />
      )}
    </section>
  );
}

function OneDelivery({ id, onClose, onReplay }: { readonly id: string; onClose(): void; onReplay(): void }) {
  const detail = useAnswer('GET /api/agent-deliveries/{id}', { params: { id } }, { everyMs: 3_000 });
  const replay = async (): Promise<void> => {
    await ask('POST /api/agent-deliveries/{id}/replay', { params: { id } });
    onReplay();
  };
  return (
    <Dialog title={t.title} onClose={onClose}>
      <Loaded answer={detail}>{(found) => <Shown {...found} />}</Loaded>
      <div class="row">
        <Action run={replay} done={t.replayed}>
          {t.replay}
        </Action>
      </div>
    </Dialog>
  );
}

function Shown({ status, error, payload, response_body: reply, actions, attempts, usage }: Detail) {
  return (
    <>
      <p class="row">
        <DeliveryBadge status={status} /> <span class="small">{error}</span>
      </p>
      <p class="quiet small">{t.cost(attempts, usage.input_tokens, usage.output_tokens)}</p>
      <h3>{t.event}</h3>
      <Source text={JSON.stringify(payload, null, 2)} label={t.event} />
      {reply !== null && (
        <>
          <h3>{t.reply}</h3>
          <Source text={reply} label={t.reply} />
        </>
      )}
      {actions.length > 0 && (
        <>
          <h3>{t.actions}</h3>
          <ul>
            {actions.map(({ index, action, status: outcome, reason }) => (
              <li key={index}>
                <code>{JSON.stringify(action)}</code> {outcome} {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
