import type { SignIns } from '../../accounts/identities/sign-ins.ts';
import type { OperatorSetup } from '../../accounts/people/operator-setup.ts';
import type { People } from '../../accounts/people/people.ts';
import { reply } from '../http/answer/reply.ts';
import { type Route, resource } from '../http/routing/route.ts';
import { SetupRequest, SignedIn, SignInOptions } from '../schema/auth.ts';
import { CLIENT_HEADERS, clientOf, cookiesOf, SESSION_COOKIES } from './sign-in.ts';

const open = resource('public', 'Authentication');

/** Routes for those who cannot sign in yet: the operator of a new gateway, and anybody before the sign-in page. */
export function firstSignInRoutes(
  people: People,
  setup: OperatorSetup,
  { providers }: Pick<SignIns, 'providers'>,
): Route[] {
  return [
    open.get('/auth/options', {
      operationId: 'getSignInOptions',
      summary: 'Get the ways to sign in and up',
      responses: { 200: { description: 'The ways', schema: SignInOptions } },
      handler: () => reply(200, { signup: people.signup.mode, providers: [...providers.keys()] }),
    }),
    open.post('/auth/setup', {
      operationId: 'setUpOperator',
      summary: "Set the operator's email address and password",
      description:
        'With the token of the link that the gateway prints at its start while nobody can sign in to the account of its operator. The link works once, within 24 hours, until the next start. Signs in.',
      headers: CLIENT_HEADERS,
      body: SetupRequest,
      responses: {
        200: {
          description: 'The account',
          schema: SignedIn,
          headers: { 'Set-Cookie': SESSION_COOKIES },
        },
      },
      fails: ['invalid_mail_token', 'email_taken', 'too_many_attempts'],
      handler: async (request) => {
        const { account, ...opened } = await setup.finish(request.body, clientOf(request));
        const { email } = request.body;
        const shown = { account_id: account.id, name: account.name, email, email_verified: true };
        return reply(200, shown, { 'Set-Cookie': cookiesOf(opened, people.publicUrl()) });
      },
    }),
  ];
}
