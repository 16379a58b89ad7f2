import { Gateway } from './gateway.ts';
import { Mailbox } from './mailbox.ts';

/** A gateway with open sign-up that sends its mails to a mailbox. `env`: further settings. */
export async function startWithMailbox(
  env: Readonly<Record<string, string>> = {},
): Promise<{ mailbox: Mailbox; gateway: Gateway }> {
  const mailbox = await Mailbox.open();
  const gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_SMTP_URL: mailbox.url,
      SVC_MAIL_FROM: 'Voice Gateway <gateway@example.com>',
      ...env,
    },
  });
  return { mailbox, gateway };
}
