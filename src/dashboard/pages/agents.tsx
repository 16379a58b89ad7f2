import { Link, useLocation } from 'wouter-preact';
import { ask } from '../api/request.ts';
import { DialogButton } from '../parts/dialog.tsx';
import { TextForm } from '../parts/form.tsx';
import { PageHead, Read } from '../parts/layout.tsx';
import { Badge } from '../parts/state.tsx';
import { texts } from '../texts.ts';
import { t } from './agents.texts.ts';

export function AgentsPage() {
  const [, navigate] = useLocation();
  const create = async (name: string): Promise<void> => {
    const { id } = await ask('POST /api/agents', { body: { name } });
    navigate(`/agents/${id}`);
  };
  return (
    <>
      <PageHead title={texts.pages.agents}>
        <DialogButton title={t.create} class="primary">
          {() => <TextForm action={t.create} label={texts.name} send={create} maxLength={80} />}
        </DialogButton>
      </PageHead>
      <Read from="GET /api/agents">
        {(data) => (
          <ul class="cards">
            {data.agents.map((agent) => (
              <li key={agent.id} class="card">
                <div class="row spread">
                  <h2 class="cut">
                    <Link href={`/agents/${agent.id}`} class="whole">
                      {agent.name}
                    </Link>
                  </h2>
                  {agent.is_default && <Badge>{t.isDefault}</Badge>}
                </div>
                <p class="quiet small">
                  {agent.provider === null ? t.ownRuntime : t.drivenBy(agent.provider)}
                  <br />
                  {t.counts(agent.accounts.length, agent.keys.length, agent.oauth_clients.length)}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Read>
    </>
  );
}
