import { ask } from '../../api/request.ts';

/** Leaves for the platform's sign-in, which comes back here. With a connection, renews that one. */
export async function connectBySignIn(provider: string, connectionId?: string): Promise<void> {
  const renewed = connectionId === undefined ? {} : { connection_id: connectionId };
  const { authorize_url: url } = await ask('POST /api/oauth/start/{provider}', {
    params: { provider },
    body: { return_to: `/dashboard/platforms?connected=${provider}`, ...renewed },
  });
  location.assign(url);
}
