// Biome lints everything else. ESLint is here for what Biome lacks or cannot see without types: patterns whose time
// grows faster than their input, promises that nobody awaits, and switches that forget a case.
import typescript from '@typescript-eslint/eslint-plugin';
import parser from '@typescript-eslint/parser';
import regexp from 'eslint-plugin-regexp';

export default [
  {
    files: ['src/**/*.ts', 'src/**/*.mjs', 'src/**/*.cjs'],
    languageOptions: { parser },
    plugins: { regexp },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': [
        'error',
        { report: 'potential', ignorePartial: false, ignoreSticky: false },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    languageOptions: {
      parserOptions: { project: 'tsconfig.src.json', tsconfigRootDir: import.meta.dirname },
    },
    plugins: { typescript },
    rules: {
      'typescript/no-floating-promises': 'error',
      'typescript/no-misused-promises': 'error',
      // Every case is named, and `default` calls `unreachable`, which also holds for what comes from outside.
      'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: false }],
      'default-case': 'error',
    },
  },
];
