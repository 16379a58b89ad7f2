import { useSignal } from '@preact/signals';
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import type { Answers } from '../../api/answers.ts';
import { ask } from '../../api/request.ts';
import { Action, tell } from '../../parts/action.tsx';
import { Copyable, QrCode } from '../../parts/copy.tsx';
import { entryOf } from '../../parts/draft.ts';
import { Field, Form, TextForm } from '../../parts/form.tsx';
import { Card } from '../../parts/layout.tsx';
import { Moment } from '../../parts/moment.tsx';
import { texts } from '../../texts.ts';

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

const NEXTCLOUD_FAILURE = /^nctalk_(\w{1,64})$/;

/** What a platform says that sends a person back: `?connected=…`, `?error=nctalk_<code>`, or `?nctalk=connected` of old addons. */
export function Returned() {
  const [query] = useSearchParams();
  const connected = query.get('connected') ?? (query.get('nctalk') === 'connected' ? 'nctalk' : '');
  const title = texts.platforms[connected];
  const code = NEXTCLOUD_FAILURE.exec(query.get('error') ?? '')?.[1];
  return (
    <>
      {title !== undefined && (
        <p class="banner good" role="status">
          {texts.platformPages.connected(title)}
        </p>
      )}
      {code !== undefined && (
        <p class="banner bad" role="alert">
          {texts.nextcloud.failures[code] ?? texts.nextcloud.failed}
        </p>
      )}
    </>
  );
}

const { bots, owner, invites, nextcloud } = texts;

/** What else a platform needs beside the token. */
const FIELDS: Readonly<Record<string, readonly (keyof typeof bots.fields)[]>> = {
  discord: ['discord_app_id'],
  slack: ['slack_signing_secret', 'slack_app_token'],
};

/** Registers a bot of one's own. */
export function BotForm({ platform }: { readonly platform: string }) {
  const token = useSignal('');
  const others = useSignal<Readonly<Record<string, string>>>({});
  const submit = async (): Promise<void> => {
    const given = Object.entries(others.value).filter(([, value]) => value !== '');
    await ask('POST /api/bot-tokens', {
      body: { platform, bot_token: token.value, ...Object.fromEntries(given) },
    });
    token.value = '';
    others.value = {};
    tell(bots.registered);
  };
  return (
    <Card title={bots.title} hint={bots.hints[platform]}>
      <Form submit={submit} action={bots.register}>
        <Field label={bots.token} type="password" of={token} required autocomplete="off" />
        {(FIELDS[platform] ?? []).map((name) => (
          <Field
            key={name}
            label={bots.fields[name]}
            type={name === 'discord_app_id' ? 'text' : 'password'}
            of={entryOf(others, name, '')}
            autocomplete="off"
          />
        ))}
      </Form>
    </Card>
  );
}

/** Makes oneself known to one's bot, which then can be tested. */
export function OwnerCode({ platform }: { readonly platform: string }) {
  const [code, setCode] = useState('');
  const make = async (): Promise<void> => {
    setCode((await ask('POST /api/platforms/{platform}/owner/code', { params: { platform } })).code);
  };
  return (
    <Card title={owner.title} hint={owner.explanation}>
      {code !== '' && <Copyable text={code} label={owner.code} />}
      <div class="row">
        <Action run={make}>{owner.make}</Action>
      </div>
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
  return (
    <Card title={invites.title} hint={invites.explanation}>
      {invite && <Shown {...invite} />}
      <div class="row">
        <Action class={invite ? '' : 'primary'} run={async () => setInvite(await inviteFor(platform))}>
          {invite ? invites.another : invites.make}
        </Action>
      </div>
    </Card>
  );
}

function Shown({ url, code, expiresAt }: Invite) {
  return (
    <>
      {url !== null && (
        <>
          <QrCode text={url} label={invites.qr} />
          <Copyable text={url} label={invites.link} />
        </>
      )}
      {code !== null && (
        <>
          <p class="small">{invites.sendCode}</p>
          <Copyable text={code} label={invites.code} />
        </>
      )}
      {expiresAt !== null && (
        <p class="quiet small">
          {invites.expires} <Moment iso={expiresAt} />
        </p>
      )}
    </>
  );
}

async function inviteFor(platform: string): Promise<Invite> {
  if (platform === 'whatsapp') {
    const {
      whatsapp_url: url,
      invite_token: token,
      expires_at: expiresAt,
    } = await ask('POST /api/invite-link');
    return { url, code: url === null ? token : null, expiresAt };
  }
  const link = await ask('POST /api/{platform}/connect', { params: { platform } });
  return { url: link.deep_link, code: link.code, expiresAt: link.expires_at };
}

/** The addon, or a bot that an administrator installs by hand. */
export function Nextcloud() {
  const [made, setMade] = useState<Answers['POST /api/nctalk/talk-bots']>();
  const make = async (server: string): Promise<void> => {
    setMade(await ask('POST /api/nctalk/talk-bots', { body: { server_url: server } }));
  };
  return (
    <>
      <Card title={nextcloud.addon}>
        <p>{nextcloud.addonSteps}</p>
        <Begin />
      </Card>
      <Card title={nextcloud.byHand} hint={nextcloud.byHandHint}>
        <TextForm
          action={nextcloud.make}
          label={nextcloud.server}
          send={make}
          type="url"
          placeholder="https://cloud.example.com"
        />
        {made && (
          <>
            <p class="small">{nextcloud.runThis}</p>
            <Copyable text={made.install} label={nextcloud.line} />
          </>
        )}
      </Card>
    </>
  );
}

/** Leads to the Nextcloud, which asks its person. */
function Begin() {
  const begin = async (server: string): Promise<void> => {
    const params = { provider: 'nctalk' };
    const started = await ask('POST /api/oauth/start/{provider}', { params, body: { server_url: server } });
    location.assign(started.authorize_url);
  };
  return (
    <TextForm
      action={nextcloud.connect}
      label={nextcloud.server}
      hint={nextcloud.connectHint}
      send={begin}
      type="url"
    />
  );
}
