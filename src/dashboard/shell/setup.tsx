import { useState } from 'preact/hooks';
import { ask } from '../api/request.ts';
import { Field, Form } from '../parts/form.tsx';
import { PasswordField } from '../parts/password-field.tsx';
import { texts } from '../texts.ts';
import { Gate } from './gate.tsx';

/** The first start: the operator gets an address and a password. */
export function Setup({ token, onDone }: { readonly token: string; onDone(): Promise<void> }) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const t = texts.setup;
  const submit = async (): Promise<void> => {
    await ask('POST /auth/setup', { body: { token, email, password } });
    await onDone();
  };
  return (
    <Gate title={t.title}>
      <p>{t.explanation}</p>
      <Form submit={submit} action={t.action}>
        <Field
          label={texts.signIn.email}
          type="email"
          value={email}
          onValue={setEmail}
          required
          autocomplete="username"
        />
        <PasswordField label={texts.signIn.password} isNew value={password} onValue={setPassword} />
      </Form>
    </Gate>
  );
}
