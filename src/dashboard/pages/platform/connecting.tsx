import { useState } from 'preact/hooks';
import { ask } from '../../api/request.ts';
import { Action } from '../../parts/button.tsx';
import { Copyable, QrCode } from '../../parts/copy.tsx';
import type { Body } from '../../parts/field.ts';
import { Form, TextForm } from '../../parts/form.tsx';
import { Card } from '../../parts/layout.tsx';
import { Moment } from '../../parts/value.tsx';
import { t } from '../platforms.texts.ts';

/** Leaves for the platform's sign-in, which comes back here. */
export async function connectBySignIn(provider: string, options: object): Promise<void> {
  location.assign((await ask('POST /api/oauth/start/{provider}', { provider, ...options })).authorize_url);
}

/** Leaves for the page of Microsoft on which an administrator approves the gateway for an organization. */
export async function askAdministrator(connection_id: string): Promise<void> {
  location.assign((await ask('POST /api/oauth/teams-admin-consent/start', { connection_id })).authorize_url);
}

/** Registers a bot of one's own. */
export function BotForm({ platform }: { readonly platform: string }) {
  const submit = (body: Body) => ask('POST /api/bot-tokens', { platform, ...body });
  return (
    <Card title={t.bot} hint={t.hints[platform]}>
      <Form fields={t.fields[platform] ?? {}} submit={submit} action={t.register} done={t.registered} />
    </Card>
  );
}

/** Makes oneself known to one's bot, which then can be tested. */
export function OwnerCode({ platform }: { readonly platform: string }) {
  const [code, setCode] = useState('');
  const make = async (): Promise<void> =>
    setCode((await ask('POST /api/platforms/{platform}/owner/code', { platform })).code);
  return (
    <Card title={t.owner} hint={t.ownerHint}>
      {code !== '' && <Copyable text={code} label={t.ownerCode} />}
      <Action run={make} name={t.makeCode} />
    </Card>
  );
}

interface Invite {
  /** Null: the gateway does not know where people write to. */
  readonly url: string | null;
  /** What people send, unless the link carries it. */
  readonly code: string | null;
  readonly expiresAt: string | null;
}

/** A link with which people reach the agents, also to be scanned with a phone. */
export function InviteLink({ platform }: { readonly platform: string }) {
  const [invite, setInvite] = useState<Invite>();
  const make = async (): Promise<void> => setInvite(await inviteFor(platform));
  return (
    <Card title={t.invite} hint={t.inviteHint}>
      {invite && <Shown {...invite} />}
      <Action class={invite ? '' : 'primary'} run={make} name={invite ? t.another : t.makeInvite} />
    </Card>
  );
}

function Shown({ url, code, expiresAt }: Invite) {
  return (
    <>
      {url !== null && <QrCode text={url} label={t.qr} />}
      {url !== null && <Copyable text={url} label={t.link} />}
      {code !== null && <p class="small">{t.sendCode}</p>}
      {code !== null && <Copyable text={code} label={t.code} />}
      {expiresAt !== null && (
        <p class="quiet small">
          {t.expires} <Moment iso={expiresAt} />
        </p>
      )}
    </>
  );
}

async function inviteFor(platform: string): Promise<Invite> {
  if (platform === 'whatsapp') {
    const made = await ask('POST /api/invite-link');
    const { whatsapp_url: url, expires_at: expiresAt } = made;
    return { url, code: url === null ? made.invite_token : null, expiresAt };
  }
  const link = await ask('POST /api/{platform}/connect', { platform });
  return { url: link.deep_link, code: link.code, expiresAt: link.expires_at };
}

const SERVER = { label: t.server, type: 'url', placeholder: 'https://cloud.example.com' };

/** The addon, which leads to the Nextcloud that asks its person, or a bot that an administrator installs by hand. */
export function Nextcloud() {
  const [line, setLine] = useState('');
  const begin = (server_url: string) => connectBySignIn('nctalk', { server_url });
  const make = async (server_url: string): Promise<void> =>
    setLine((await ask('POST /api/nctalk/talk-bots', { server_url })).install);
  return (
    <>
      <Card title={t.addon}>
        <p>{t.addonSteps}</p>
        <TextForm {...SERVER} action={t.begin} send={begin} />
      </Card>
      <Card title={t.byHand} hint={t.byHandHint}>
        <TextForm {...SERVER} action={t.makeBot} send={make} />
        {line !== '' && <p class="small">{t.runThis}</p>}
        {line !== '' && <Copyable text={line} label={t.line} />}
      </Card>
    </>
  );
}
