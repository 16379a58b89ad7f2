import { expect, it } from 'vitest';
import { readCommandLine, usage } from '../../../src/settings/command-line.ts';
import { VARIABLES, type Variable } from '../../../src/settings/variables.ts';

it('sets what the variables set', () => {
  expect(readCommandLine(['--port', '9000', '--data-dir=/var/lib/gateway', '--sip-host', '::1'])).toEqual({
    kind: 'run',
    values: { SVC_PORT: '9000', SVC_DATA_DIR: '/var/lib/gateway', SVC_SIP_HOST: '::1' },
  });
});

it('takes a value with an equals sign', () => {
  expect(readCommandLine(['--public-url=https://a.example/?b=c'])).toEqual({
    kind: 'run',
    values: { SVC_PUBLIC_URL: 'https://a.example/?b=c' },
  });
});

it('changes nothing without arguments', () => {
  expect(readCommandLine([])).toEqual({ kind: 'run', values: {} });
});

it.each([
  [['--help'], 'help'],
  [['-h'], 'help'],
  [['--port', '9000', '--version'], 'version'],
])('%j asks for the %s', (args, kind) => {
  expect(readCommandLine(args)).toEqual({ kind });
});

it.each([
  [['--prot', '9000'], '--prot is not an option; did you mean --port?'],
  [['--colour', 'red'], '--colour is not an option. See --help for all options.'],
  [['9000'], '"9000" is not an option. See --help for all options.'],
  [['-p', '9000'], '"-p" is not an option. See --help for all options.'],
  [['--PORT', '9000'], '--PORT is not an option; did you mean --port?'],
  [['--data_dir', '/tmp'], '--data_dir is not an option; did you mean --data-dir?'],
  [['--'], '-- is not an option. See --help for all options.'],
  [['--port'], '--port needs a value. See --help for all options.'],
  [['--port='], '--port needs a value. See --help for all options.'],
  [['--port', '1', '--port', '2'], '--port is given twice.'],
  [
    ['--master-key', 'abc'],
    '--master-key would show a secret to other users; set the variable SVC_MASTER_KEY instead.',
  ],
])('refuses %j', (args, text) => {
  expect(readCommandLine(args)).toEqual({ kind: 'mistake', text });
});

it('explains every option that is no secret', () => {
  const text = usage();
  for (const [name, { secret, meaning }] of Object.entries<Variable>(VARIABLES)) {
    const option = `--${name.slice(4).toLowerCase().replaceAll('_', '-')}`;
    expect(text.includes(`  ${option}`) && text.includes(meaning), name).toBe(!secret);
  }
});
