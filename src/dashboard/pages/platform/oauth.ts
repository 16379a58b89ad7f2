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

/** Leaves for the page of Microsoft on which an administrator approves the gateway for an organization. */
export async function askAdministrator(connectionId: string): Promise<void> {
  const started = await ask('POST /api/oauth/teams-admin-consent/start', {
    body: { connection_id: connectionId },
  });
  location.assign(started.authorize_url);
}
