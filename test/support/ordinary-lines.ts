import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redactor } from '../../src/export/redact/redactor.ts'
import { Random } from './secret-kinds.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The lines that are masked, e-mail addresses and homes aside, after masking. */
export function maskedLines(lines: readonly string[]): string[] {
  const results: string[] = []
  const redactor = new Redactor()
  for (let from = 0; from < lines.length; from += 200) {
    const text = lines.slice(from, from + 200).join('\n')
    const after = redactor.redactText(text).split('\n')
    results.push(...after.filter((line) => /\[redacted:(?!email)/.test(line)))
  }
  return results
}

const digest = (algorithm: string, seed: string, encoding: 'hex' | 'base64' = 'hex'): string =>
  createHash(algorithm).update(seed).digest(encoding)

/** Lines that look random and hold no secret. */
const generators: Readonly<Record<string, (random: Random) => string>> = {
  commit: (random) => `commit ${random.text(40, 'h')}`,
  'short hash': (random) => `${random.text(7, 'h')} fix the build`,
  sha256: (random) => `${digest('sha256', random.text(8))}  dist/ion.cjs`,
  sha512: (random) => `sha512: ${digest('sha512', random.text(8))}`,
  md5: (random) => `md5 = "${digest('md5', random.text(8))}"`,
  'docker digest': (random) => `FROM node@sha256:${random.text(64, 'h')}`,
  integrity: (random) => `"integrity": "sha512-${digest('sha512', random.text(8), 'base64')}",`,
  'yarn lock': (random) => `  checksum: 10c0/${digest('sha512', random.text(8))}`,
  'go sum': (random) => `golang.org/x/mod v0.${random.below(20)}.0 h1:${digest('sha256', random.text(8), 'base64')}`,
  'cargo lock': (random) => `checksum = "${digest('sha256', random.text(8))}"`,
  'pip hash': (random) => `    --hash=sha256:${random.text(64, 'h')} \\`,
  uuid: (random) => `"request_id": "${random.uuid()}", "sessionId": "${random.uuid()}"`,
  'uuid in a path': (random) => `/var/log/jobs/${random.uuid()}/output.log`,
  'etag and cache key': (random) => `etag: "${random.text(32, 'h')}" cacheKey=${random.text(40, 'h')}`,
  'tool call': (random) => `{"type":"tool_use","id":"toolu_01${random.text(22)}","name":"Read"}`,
  'model call': (random) => `{"id":"msg_01${random.text(22)}","call_id":"call_${random.text(24)}"}`,
  image: (random) => `<img src="data:image/png;base64,${Buffer.from(random.text(300)).toString('base64')}">`,
  'source map': (random) => `"mappings":"AAAA,${random.text(80, 'A-Z')};${random.text(40, 'A-Za-z')}"`,
  chunk: (random) => `<script src="/assets/index-${random.text(8)}.js"></script>`,
  url: (random) => `https://example.com/articles/${random.below(9999)}/how-to?page=${random.below(99)}&sort=asc#part-2`,
  's3 key': (random) => `s3://bucket/2026/03/${random.text(32, 'h')}.json`,
  identifier: (random) =>
    `const ${random.pick(['accessTokenProvider', 'passwordResetHandler2', 'secretKeyRef', 'apiKeyHeaderName'])} = create(${random.below(9)})`,
  code: (random) =>
    random.pick([
      'const token = await getToken(user)',
      'password: z.string().min(8),',
      'function login(username, password) { return api.login({ username, password }) }',
      'if (!config.apiKey) throw new Error("missing apiKey")',
      'this.token = options.token ?? process.env.API_TOKEN',
      'expect(result.token).toBe(user.token)',
      'export type Secret = { name: string; key: string }',
      'let keys = Object.keys(map); const key = keys[0]',
      'maxTokens: 4096, tokenCount: 12345678, inputTokens: 98765432',
      'password = os.environ["DB_PASSWORD"]',
      'secretName: my-tls-secret-2',
      'a.password&&b(a.password,c.token,{key:d.key,secret:e})',
      'e.exports={token:t.token,key:n,password:r.password||""}',
      '<input type="password" name="password" placeholder="Password">',
      '"password": "Enter your password"',
      'describe("password reset", () => {',
      'primaryKey: "user_id", foreignKey: "account_id_2"',
      'const author = "Ann Lee", authority = "https://login.example.com"',
    ]),
  prose: (random) =>
    random.pick([
      'The token is then sent to the server, which checks it.',
      'Passwords are hashed with bcrypt before they are stored.',
      'Set the API key in the settings page and restart.',
      'A secret is never written to the log; the key is kept in memory.',
      'password: required, at least 12 characters',
      'Replace YOUR_API_KEY with the key from your account.',
      'export GITHUB_TOKEN=<your-token>',
      'OPENAI_API_KEY=sk-...',
      `DB_PASSWORD=$${'{DB_PASSWORD}'}`,
      `token: $${'{{ secrets.GITHUB_TOKEN }}'}`,
    ]),
  'git log': (random) =>
    random.pick([
      `commit ${random.text(40, 'h')} (HEAD -> main, origin/main)`,
      `Author: ${random.pick(['Seed', 'Token', 'Ann Key', 'Pin'])} ${random.text(8, 'h')} <noreply@example.com>`,
      `Author:     Seed ${random.text(8, 'h')} maintainers`,
      `Date:   Mon Nov ${10 + random.below(18)} 22:15:${10 + random.below(49)} 2026 +0000`,
      `Merge: ${random.text(7, 'h')} ${random.text(7, 'h')}`,
      `index ${random.text(7, 'h')}..${random.text(7, 'h')} 100644`,
      `    auth: keep the session key of ${random.text(8, 'h')} (#${random.below(900)})`,
      `* ${random.text(8, 'h')} - token refresh: retry 3 times (${random.below(20)} hours ago) <Ann Lee>`,
      ` src/auth/token${random.below(9)}.ts | ${random.below(99)} ++++---`,
      `${random.text(40, 'h')} refs/tags/v1.${random.below(9)}.0`,
    ]),
  minified: (random) =>
    random.pick([
      `!function(e,t){"object"==typeof exports?t(exports):t(e.key${random.below(9)}={})}(this,function(e){var t=e.token,n=e.secret;return t||n})`,
      `var a=n(${random.below(999)}),b=a.password,c={authKey:b.k,token:a.t(b),pass:!0,auth:void 0};e.p=function(){return c.token===b.token?1:2}`,
      `"use strict";Object.defineProperty(t,"__esModule",{value:!0});const k${random.text(4)}=r.apiKey||o.accessToken||i(r,"secretKey")`,
    ]),
  list: (random) =>
    random.pick([
      '["SELECT", "INSERT", "PRIMARY", "KEY", "TOKEN", "SECRET", "PASSWORD2", "AUTHORIZATION", "CASCADE"]',
      'ADD ALL ALTER AND AS ASC AUTHORIZATION BEGIN BETWEEN BY CASCADE CHECK FOREIGN KEY PRIMARY KEY PASSWORD EXPIRE',
      `"betas": ["thinking-token-count-2026-05-13","advanced-tool-use-2025-11-20","effort-2025-11-${10 + random.below(18)}"]`,
      "'password', 'passwd', 'token', 'secret', 'apiKey', 'access_token', 'session_id', 'private_key', 'oauth2'",
    ]),
  'prose about secrets': (random) =>
    random.pick([
      'Authorization callback URL, no authorization included, the authorization header; Authorization: see below',
      'Seed the database with 3 users, then run the seed script.',
      'The secret is in knowing when to stop. A password was sent to user 42.',
      'token usage: 12345 input, 678 output; the key is to keep the token count below 200k',
      `This key maps to ${random.text(32, 'h')} in the cache.`,
      `The session ${random.uuid()} was resumed, and its token is refreshed every 30m.`,
      'It asks for the password on the first start, and stores the token in the keychain (macOS 14.2).',
      'Passphrase cache expired; the pass to crypt_* is skipped; pass __u32 value in nano secs',
      'Use --password options or --token-file instead of the URL, see section 4.2.',
      'The PAT needs the scopes repo and read:org; the API key (see page 3) is shown once.',
    ]),
  version: (random) => `lodash@4.${random.below(20)}.${random.below(30)}: resolved in ${random.below(999)}ms`,
  timestamp: (random) =>
    `2026-03-${10 + random.below(18)}T10:${10 + random.below(49)}:00.${random.text(3, 'd')}Z INFO worker-${random.below(99)} done`,
}

/** Lines of every kind, `count` of each. */
export function ordinaryLines(count: number): string[] {
  const random = new Random(11)
  return Object.values(generators).flatMap((make) => Array.from({ length: count }, () => make(random)))
}

/** Text files below a folder of this project. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => ending.test(path) && !/redact|secret-kinds|node_modules/.test(path))
    .map((path) => readFileSync(join(root, folder, path), 'utf8'))
}

/** The lines of this project's sources, docs, scripts, lockfile and recorded sessions, file by file. */
export function projectLines(): string[][] {
  const texts = [
    ...filesIn('src', /\.tsx?$/),
    ...filesIn('src/agents', /fixtures.*\.jsonl?$/),
    ...filesIn('docs', /\.md$/),
    ...filesIn('scripts', /\.ts$/),
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  ]
  return texts.map((text) => text.split('\n'))
}
