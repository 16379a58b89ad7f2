import type { Gateway } from '../../test/support/gateway.ts';

/** Gives the gateway's default agent a model. The provider is at SVC_OPENAI_URL. */
export async function setModel({ settingsApi }: Gateway): Promise<void> {
  const { agents } = (await settingsApi.get('/api/agents')).body;
  const provider = { provider: 'openai', config: { api_key: 'key-of-the-bench', model: 'gpt-6-luna' } };
  const { status, body } = await settingsApi.patch(`/api/agents/${agents[0].id}/provider`, provider);
  if (status !== 200) throw new Error(`PATCH provider: ${status} ${JSON.stringify(body)}`);
}
