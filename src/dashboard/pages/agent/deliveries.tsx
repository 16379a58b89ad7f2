import { useState } from 'preact/hooks';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Action } from '../../parts/action.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Empty, Loaded } from '../../parts/notes.tsx';
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
            {deliveries.length === 0 && <Empty>{t.none}</Empty>}
            <ul class="rows">
              {deliveries.map(({ id, event_type: type, status, created_at: at, error }) => (
                <li key={id} class="row-card">
                  <button type="button" class="link grow" onClick={() => setOpenId(id)}>
                    {texts.provider.eventTypes[type] ?? type}
                    {error !== null && <span class="quiet small cut">{error}</span>}
                  </button>
                  <span class="quiet small">
                    <Moment iso={at} />
                  </span>
                  <DeliveryBadge status={status} />
                </li>
              ))}
            </ul>
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
