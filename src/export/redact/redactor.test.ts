import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuSeconds } from '../../../test/support/cpu-time.ts'
import { Redactor } from './redactor.ts'
import { describeFinding } from './rule.ts'

const redactor = (): Redactor => new Redactor()

/** Put together here, so that no scanner takes this file for a leak. */
const made = (...parts: string[]): string => parts.join('')
const A36 = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'
const fake: Record<string, string> = {
  'GitHub classic': made('gh', 'p_', A36),
  'GitHub app': made('gh', 's_', A36),
  'GitHub fine-grained': made('github', '_pat_', '11ABCDEFG0', A36, A36),
  Anthropic: made('sk', '-ant-', 'api03-', A36, A36, A36.slice(0, 21), 'AA'),
  'Anthropic OAuth': made('sk', '-ant-', 'oat01-', A36, A36),
  'OpenAI project': made('sk', '-proj-', A36, A36),
  'OpenAI legacy': made('sk', '-', A36, 'aB3dE6gH9jK2'),
  'AWS key id': made('AK', 'IA', 'Q3EGRZ7XN5T2WPLM'),
  'Slack bot': made('xox', 'b-', '123456789012-1234567890123-', A36.slice(0, 24)),
  'Slack webhook': made('https://hooks.', 'slack.com/services/', 'T00AB12CD/B00AB12CD/', A36.slice(0, 24)),
  npm: made('np', 'm_', A36),
  Google: made('AI', 'za', 'SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q'),
  'Google OAuth': made('ya', '29.', A36),
  Stripe: made('sk', '_live_', A36.slice(0, 24)),
  GitLab: made('gl', 'pat-', A36.slice(0, 20)),
  'Hugging Face': made('hf', '_', A36.slice(0, 34)),
  JWT: made('eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0', '.', A36),
  'private key': made(
    '-----BEGIN RSA ',
    'PRIVATE KEY-----\n',
    `MII${A36}${A36}\n`.repeat(6),
    '-----END RSA ',
    'PRIVATE KEY-----',
  ),
  'private key, numbered lines': made(
    '-----BEGIN ',
    'PRIVATE KEY-----\n',
    `  2→MII${A36}\n`.repeat(3),
    '-----END ',
    'PRIVATE KEY-----',
  ),
  'private key, cut': made('-----BEGIN OPENSSH ', 'PRIVATE KEY-----\n', `${A36}${A36.slice(0, 28)}\n`.repeat(4).trim()),
  'database URL': made('postgres', '://shop:', 'hunter2x', '@db.internal:5432/shop'),
}

describe('keys', () => {
  test.each(Object.entries(fake))('%s', (_name, secret) => {
    const { redactText } = bound(redactor())
    const text = `before ${secret} after, and again "${secret}"`
    const masked = redactText(text)
    expect(masked.split('\n')).toHaveLength(text.split('\n').length)
    // Of a URL only the secret part is masked, and what was on several lines stays on as many.
    expect(masked).toMatch(
      /^before [\w/:.]*\[redacted:([a-z-]+-1)\][\w/:.@]*\n* after, and again "[\w/:.]*\[redacted:\1\][\w/:.@]*\n*"$/,
    )
  })

  test('by the words around them, and from then on wherever they stand', () => {
    const host = 'npm.example.com'
    const token = 'q7Zk2mP9xL4vB8nR3tY6'
    const { redactText } = bound(redactor())
    expect([
      redactText(`bare ${token} is not known yet`),
      redactText(`curl -H "Authorization: Bearer ${token}" https://api.example.com`),
      redactText(`now ${token} is`),
      redactText('DEPLOY_TOKEN="a1b2c3d4e5f6a7b8c9d0e1f2"'),
      redactText(`//${host}/:_authToken=0f9e8d7c6b5a`),
      redactText(`aws_secret_access_key = ${A36}abcd`),
      redactText('https://ann:s3cretpass@git.example.com/x.git'),
    ]).toEqual([
      `bare ${token} is not known yet`,
      'curl -H "Authorization: Bearer [redacted:bearer-token-1]" https://api.example.com',
      'now [redacted:bearer-token-1] is',
      'DEPLOY_TOKEN="[redacted:secret-1]"',
      `//${host}/:_authToken=[redacted:secret-2]`,
      'aws_secret_access_key = [redacted:secret-3]',
      'https://ann:[redacted:url-password-1]@git.example.com/x.git',
    ])
  })

  test('what only looks like one stays', () => {
    const { redactText } = bound(redactor())
    for (const text of [
      'const token = process.env.API_TOKEN',
      `password: $${'{DB_PASSWORD}'}`,
      'a task-ant-colony, sk-learn, ghp_short, the npm_config_cache variable',
      'Bearer authentication is used; the secret: keep it simple',
      "if (text.includes('-----BEGIN PRIVATE KEY-----')) refuse(text)",
      'commit 3f2a9c1d8e7b6a5f4c3d2e1f0a9b8c7d6e5f4a3b',
    ]) {
      expect(redactText(text)).toBe(text)
    }
  })
})

test('homes and addresses', () => {
  const { redactText } = bound(redactor())
  const cases: Record<string, string> = {
    '/home/ann/src/shop/a.ts:12': '~/src/shop/a.ts:12',
    'cd /Users/ann.lee && ls "/home/bob"': 'cd ~ && ls "~"',
    'file:///home/ann/x and PATH=/home/ann/bin:/usr/bin': 'file://~/x and PATH=~/bin:/usr/bin',
    'C:\\Users\\Ann Lee\\shop and "C:\\\\Users\\\\ann\\\\shop" and c:/Users/ann/x': '~\\shop and "~\\\\shop" and ~/x',
    '/mnt/c/Users/ann/x': '~/x',
    '~/.claude/projects/-home-ann-src-shop/x.jsonl': '~/.claude/projects/~-src-shop/x.jsonl',
    'src/pages/home/index.ts ./home/x https://example.com/home/ann':
      'src/pages/home/index.ts ./home/x https://example.com/home/ann',
    '/home/linuxbrew/.linuxbrew/bin /Users/Shared/x': '/home/linuxbrew/.linuxbrew/bin /Users/Shared/x',
    'Ann <ann.lee+shop@mail.example.co.uk>, ann@example.com.': 'Ann <[redacted:email-1]>, [redacted:email-2].',
    'git@github.com:ann/shop.git noreply@example.com icon@2x.png left-pad@1.3.0 @scope/name':
      'git@github.com:ann/shop.git noreply@example.com icon@2x.png left-pad@1.3.0 @scope/name',
  }
  const results = Object.fromEntries(Object.keys(cases).map((text) => [text, redactText(text)]))
  expect(results).toEqual(cases)
})

test('homes that a text names, and the names of users in listings', () => {
  const cases: Record<string, string> = {
    'HOME=/var/lib/jenkins\nPWD=/var/lib/jenkins/ws\n/var/lib/jenkins2 stays':
      'HOME=~\nPWD=~/ws\n/var/lib/jenkins2 stays',
    'ann:x:1000:1000:Ann:/data/people/ann:/bin/bash\ncd /data/people/ann/x': 'ann:x:1000:1000:Ann:~:/bin/bash\ncd ~/x',
    '{"HOME":"/opt2/agents/bot7"} ls /opt2/agents/bot7/src': '{"HOME":"~"} ls ~/src',
    'HOME=/usr/share/x ls /usr/share/x/y': 'HOME=/usr/share/x ls /usr/share/x/y',
    '/data/home/ann/x /root/.npm /var/root/x /export/home/ann /Users/ann/x': '~/x ~/.npm ~/x ~ ~/x',
    '-rw-r--r--  1 ann  staff  1024 Mar  1 10:00 a.ts\ndrwxr-xr-x@ 3 root ann 96 Mar 1 b':
      '-rw-r--r--  1 user  staff  1024 Mar  1 10:00 a.ts\ndrwxr-xr-x@ 3 root user 96 Mar 1 b',
    'uid=1000(ann) gid=1000(ann) groups=1000(ann),27(sudo)': 'uid=1000(user) gid=1000(user) groups=1000(user),27(sudo)',
  }
  const results = Object.fromEntries(Object.keys(cases).map((text) => [text, redactor().redactText(text)]))
  expect(results).toEqual(cases)
  // A home that was given, and one that is named only later in the session.
  const given = new Redactor(['/srv/agents/one'])
  given.learn([{ text: 'HOME=/var/lib/two' }])
  expect(given.redactText('/srv/agents/one/x /var/lib/two/y')).toBe('~/x ~/y')
})

test('says what it masked, and a comment in the transcript cannot forbid it', () => {
  const all = redactor()
  const texts = [
    '// secretlint-disable',
    `${fake['GitHub classic']} ${fake['GitHub app']}`,
    '/home/a/b /home/a/c',
    'x@y.org',
  ]
  all.redactTexts(texts.map((text) => ({ text })))
  expect(all.findings.map(({ rule, count }) => describeFinding(rule, count))).toEqual([
    '2 GitHub tokens',
    '2 home paths',
    '1 e-mail address',
  ])
})

const pieces = fc.oneof(
  fc.constantFrom(...Object.values(fake)),
  fc.constantFrom(
    '/home/',
    '/Users/',
    'C:\\Users\\',
    'ann',
    '@',
    '.',
    ':',
    '=',
    '/',
    '~',
    '-home-',
    'Bearer ',
    'token: ',
    '[redacted:x-1]',
    '\n',
    ' ',
    '"',
    'postgres://',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.stringMatching(/^[A-Za-z0-9+/_-]{0,60}$/),
)
const texts = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))

test('a token after the parts of a name', () => {
  const token = 'ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hI6'
  const { redactText } = bound(redactor())
  expect([`-home-dev-${token}`, `backup-${token}`, `old_${token}.txt`].map(redactText)).toEqual([
    '~-[redacted:github-token-1]',
    'backup-[redacted:github-token-1]',
    'old_[redacted:github-token-1].txt',
  ])
})

test('never throws, is idempotent, and gives back as many texts as it got', () => {
  const redact = (batch: readonly string[]): string[] => redactor().redactTexts(batch.map((text) => ({ text })))
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 5 }), (batch) => {
      const masked = redact(batch)
      expect(masked).toHaveLength(batch.length)
      expect(redact(masked)).toEqual(masked)
      for (const secret of Object.values(fake)) expect(masked.join('\n')).not.toContain(` ${secret} `)
    }),
    { numRuns: 1500 },
  )
})

test('hostile text takes time in proportion to its length', () => {
  const { redactText } = bound(redactor())
  for (const unit of [
    ...['a', 'a.', 'a@', 'a-', 'a1B2', '0', ' ', '"', '\\', '\\"', '/', '=', '%3D', '&quot;', '\x1b[1m', '[1m'],
    ...['eyJa', 'sk-', 'aB3dE6gH9jK2mN5pQ8sT.', `${fake['AWS key id']} `, '-----BEGIN PRIVATE KEY-----', '$2b$'],
    ...[
      '/home/',
      'C:\\Users\\a ',
      'x://a:',
      ':5432:',
      'token=a1',
      'key: ',
      'password="',
      'password is ',
      '"password": {',
    ],
    ...['password: string = ', '<password>', '"name": ', 'variable "db_password" {\n', 'x as the password ', 'Bearer '],
    ...['curl -u a:', 'mysql -p', '--password ', 'cookie: a=b; ', 'echo a|', 'git config ', 'digest ', 'seed phrase: '],
    ...[
      'kind: Secret\ndata:\n  a: b\n',
      '{"kty"',
      'recovery code ',
      'Private-Lines: 2\n',
      '$ANSIBLE_VAULT;1.1;AES256\n',
    ],
  ]) {
    const text = unit.repeat(200_000 / unit.length)
    expect(
      cpuSeconds(() => redactText(text)),
      unit,
    ).toBeLessThan(10)
  }
})

function bound(one: Redactor): { redactText: (text: string) => string } {
  return { redactText: (text) => one.redactText(text) }
}
