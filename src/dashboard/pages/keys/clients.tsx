import { ask, BASE } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Empty, Loaded } from '../../parts/notes.tsx';
import { texts } from '../../texts.ts';

const t = texts.clients;

/** The MCP clients that were allowed to act for the account. */
export function Clients() {
  const clients = useAnswer('GET /api/mcp-authorizations');
  const revoke = async (id: string): Promise<void> => {
    await ask('DELETE /api/mcp-authorizations/{client_id}', { params: { client_id: id } });
    clients.reload();
  };
  return (
    <section class="card">
      <h2>{t.title}</h2>
      <p class="quiet small">{t.explanation}</p>
      <Copyable text={new URL('mcp/', BASE).href} label={t.url} />
      <Loaded answer={clients}>
        {({ authorizations }) =>
          authorizations.length === 0 ? (
            <Empty>{t.none}</Empty>
          ) : (
            <ul class="rows">
              {authorizations.map((client) => (
                <li key={client.client_id} class="row-card">
                  <span class="grow">
                    <strong class="cut">{client.client_name}</strong>
                    <span class="quiet small">
                      {client.platforms.map((platform) => texts.platforms[platform]).join(', ')} ·{' '}
                      {client.last_used_at === null ? (
                        texts.keys.unused
                      ) : (
                        <Moment iso={client.last_used_at} />
                      )}
                    </span>
                  </span>
                  <Confirm
                    class="quietly"
                    action={texts.keys.revoke}
                    question={t.revokeQuestion(client.client_name)}
                    run={() => revoke(client.client_id)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}
