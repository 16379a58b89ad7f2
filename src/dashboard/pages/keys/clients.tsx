import { ask, BASE } from '../../api/request.ts';
import { useAnswer } from '../../api/use-answer.ts';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { LoadedRows, Row } from '../../parts/rows.tsx';
import { texts } from '../../texts.ts';
import { LastUse } from './last-use.tsx';

const t = texts.clients;

/** The MCP clients that were allowed to act for the account. */
export function Clients() {
  const clients = useAnswer('GET /api/mcp-authorizations');
  const revoke = async (id: string): Promise<void> => {
    await ask('DELETE /api/mcp-authorizations/{client_id}', { params: { client_id: id } });
    clients.reload();
  };
  return (
    <Card title={t.title} hint={t.explanation}>
      <Copyable text={new URL('mcp/', BASE).href} label={t.url} />
      <LoadedRows answer={clients} of={(data) => data.authorizations} none={t.none}>
        {({ client_id: id, client_name: name, platforms, last_used_at: at }) => (
          <Row
            key={id}
            title={name}
            note={<LastUse of={platforms.map((platform) => texts.platforms[platform]).join(', ')} at={at} />}
          >
            <Confirm
              class="quietly"
              action={texts.keys.revoke}
              question={t.revokeQuestion(name)}
              run={() => revoke(id)}
            />
          </Row>
        )}
      </LoadedRows>
    </Card>
  );
}
