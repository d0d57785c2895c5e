import { partsOf, variantsOf } from '../../src/export/redact/form-notation.ts'
import { CLASSES, formTable } from '../../src/export/redact/forms.ts'

/** Random, and the same in every run. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to, but not including, `limit`. */
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * limit)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** Characters of a class of forms.ts, or of the given ones. At least one digit and one letter if it has both. */
  text(length: number, characters = 'a'): string {
    const all = expand(CLASSES[characters] ?? characters)
    for (;;) {
      const text = Array.from({ length }, () => this.pick(all)).join('')
      if (
        length < 8 ||
        !/\d/.test(all.join('')) ||
        (/\d.*\d/.test(text) && (!/[a-z]/i.test(all.join('')) || /[a-z]/i.test(text)))
      )
        return text
    }
  }

  uuid(): string {
    return [8, 4, 4, 4, 12].map((length) => this.text(length, 'h')).join('-')
  }

  /** As people choose them. */
  password(): string {
    const word = this.pick(['Tulip', 'harbor', 'Maple', 'quartz', 'Velvet', 'ember', 'Otter', 'cobalt'])
    return `${word}${this.pick(['!', '#', '-', '_', ''])}${this.text(3, 'd')}${this.pick(['x', 'Q', 'z', 'K'])}${this.text(2, 'a')}`
  }
}

function expand(characters: string): string[] {
  return [
    ...characters.replace(/(.)-(?=.)(.)/g, (_, from: string, to: string) => {
      let all = ''
      for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) all += String.fromCharCode(code)
      return all
    }),
  ]
}

/** A kind of secret: a text as it is met in sessions, and the part of it that must not be seen. */
export interface SecretKind {
  readonly name: string
  readonly make: (random: Random) => { readonly text: string; readonly secret: string }
}

/** A token of the given form; see forms.ts. Made up at run time, so that no scanner takes this repository for a leak. */
export function sampleOf(form: string, random: Random): string {
  return partsOf(random.pick(variantsOf(form)))
    .map((part) =>
      typeof part === 'string'
        ? part
        : random.text(Math.min(part.max, part.min < 20 && part.max > 1000 ? 24 : part.min), part.characters),
    )
    .join('')
}

/** One for each form of the table. */
export const formKinds: readonly SecretKind[] = Object.entries(formTable).flatMap(([kind, { forms }]) =>
  forms.map((form) => ({
    name: `${kind}: ${form}`,
    make: (random: Random) => {
      const secret = sampleOf(form, random)
      return {
        text: random.pick([
          `here it is: ${secret} ok?`,
          `X="${secret}"`,
          `use ${secret}`,
          `(${secret})`,
          `value: ${secret}, and so on`,
        ]),
        secret,
      }
    },
  })),
)

type Line = (secret: string, random: Random) => string
const kind = (name: string, secret: (random: Random) => string, line: Line): SecretKind => ({
  name,
  make: (random) => {
    const value = secret(random)
    return { text: line(value, random), secret: value }
  },
})
const password = (random: Random): string => random.password()
const hex = (length: number) => (random: Random) => random.text(length, 'h')
const alnum = (length: number) => (random: Random) => random.text(length, 'a')
const lower = (length: number) => (random: Random) => random.text(length, 'l')
const base64 = (length: number) => (random: Random) => Buffer.from(random.text(length, 'a')).toString('base64')
const uuid = (random: Random): string => random.uuid()
const word = (random: Random): string =>
  random.pick(['sunflower', 'moonlight', 'bluebird', 'strawberry']) + random.pick(['house', 'garden', 'river'])
const pem = (label: string) => (random: Random) =>
  [`-----BEGIN ${label}-----`, ...Array.from({ length: 6 }, () => random.text(64, 'b')), `-----END ${label}-----`].join(
    '\n',
  )

/** Secrets that their context reveals: names, programs, files, headers, URLs. */
export const contextKinds: readonly SecretKind[] = [
  // Settings files.
  kind('.env password', password, (s) => `DB_HOST=localhost\nDB_PASSWORD=${s}\nDB_PORT=5432`),
  kind('.env password, a word', word, (s) => `DB_PASSWORD=${s}`),
  kind('.env quoted', password, (s) => `SMTP_PASSWORD="${s}"`),
  kind('.env single quotes', password, (s) => `REDIS_PASSWORD='${s}'`),
  kind('shell export', alnum(32), (s) => `export PAYMENTS_API_KEY=${s}`),
  kind('powershell env', alnum(32), (s) => `$env:API_TOKEN = "${s}"`),
  kind('cmd set', password, (s) => `set DB_PASSWORD=${s}`),
  kind('fish set', alnum(30), (s) => `set -x GITEA_TOKEN ${s}`),
  kind('yaml', password, (s) => `database:\n  user: shop\n  password: ${s}\n  port: 5432`),
  kind('yaml, a word', word, (s) => `smtp:\n  password: ${s}\n`),
  kind('yaml quoted', password, (s) => `  db_password: "${s}"`),
  kind('yaml block', alnum(40), (s) => `  api_key: |-\n    ${s}\n`),
  kind('toml', password, (s) => `[database]\npassword = "${s}"`),
  kind('ini', password, (s) => `[client]\nuser = root\npassword = ${s}`),
  kind('java properties', password, (s) => `spring.datasource.password=${s}`),
  kind('java properties, spaces', password, (s) => `app.mail.password = ${s}`),
  kind('json', password, (s) => `{"user": "shop", "password": "${s}"}`),
  kind('json apiKey', alnum(32), (s) => `{"apiKey":"${s}","region":"eu"}`),
  kind(
    'json number',
    (r) => `8${r.text(7, 'd')}`,
    (s) => `{"password": ${s}, "x": 1}`,
  ),
  kind(
    'json pin',
    (r) => `4${r.text(5, 'd')}`,
    (s) => `{"pin": "${s}"}`,
  ),
  kind('json name and value', password, (s) => `{"name": "DB_PASSWORD", "value": "${s}"}`),
  kind('kubernetes env', password, (s) => `- name: POSTGRES_PASSWORD\n  value: ${s}`),
  kind('docker compose', password, (s) => `    environment:\n      - MYSQL_ROOT_PASSWORD=${s}`),
  kind('docker compose map', password, (s) => `    environment:\n      MYSQL_ROOT_PASSWORD: ${s}`),
  kind('Dockerfile ENV', alnum(30), (s) => `ENV SECRET_KEY ${s}`),
  kind('Dockerfile ARG', alnum(30), (s) => `ARG NPM_TOKEN=${s}`),
  kind(
    'kubernetes secret',
    (r) => Buffer.from(r.password()).toString('base64'),
    (s) =>
      `apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ntype: Opaque\ndata:\n  username: YWRtaW4x\n  other: ${s}\n`,
  ),
  kind('kubernetes stringData', password, (s) => `kind: Secret\nstringData:\n  dbvalue: ${s}\n`),
  kind('kubernetes secret as JSON', base64(12), (s) => `{"kind":"Secret","data":{"some.entry":"${s}"}}`),
  kind(
    'docker config auth',
    (r) => Buffer.from(`shop:${r.password()}`).toString('base64'),
    (s) => `{"auths": {"registry.example.com": {"auth": "${s}"}}}`,
  ),
  kind('kubeconfig token', alnum(40), (s) => `users:\n- name: admin\n  user:\n    token: ${s}`),
  kind('kubeconfig key', base64(120), (s) => `    client-key-data: ${s}`),
  kind('.npmrc', uuid, (s) => `//registry.example.com/:_authToken=${s}`),
  kind(
    '.npmrc _auth',
    (r) => Buffer.from(`u:${r.password()}`).toString('base64'),
    (s) => `//registry.example.com/:_auth=${s}`,
  ),
  kind('.npmrc _password', base64(15), (s) => `//registry.example.com/:_password="${s}"`),
  kind('.yarnrc.yml', alnum(36), (s) => `npmAuthToken: "${s}"`),
  kind('.pypirc', password, (s) => `[pypi]\nusername = ann\npassword = ${s}`),
  kind('.netrc', password, (s) => `machine api.example.com login ann password ${s}`),
  kind('.netrc lines', password, (s) => `machine api.example.com\n  login ann\n  password ${s}`),
  kind('.pgpass', password, (s) => `db.example.com:5432:shop:ann:${s}`),
  kind('.pgpass stars', password, (s) => `*:*:*:ann:${s}`),
  kind('.git-credentials', alnum(30), (s) => `https://ann:${s}@git.example.com`),
  kind('.my.cnf', password, (s) => `[mysql]\nuser=root\npassword=${s}`),
  kind('redis.conf', password, (s) => `requirepass ${s}`),
  kind('redis.conf masterauth', password, (s) => `masterauth ${s}`),
  kind(
    '.htpasswd apr1',
    (r) => `$apr1$${r.text(8)}$${r.text(22)}`,
    (s) => `ann:${s}`,
  ),
  kind(
    '.htpasswd bcrypt',
    (r) => `$2y$10$${r.text(53)}`,
    (s) => `ann:${s}`,
  ),
  kind(
    'shadow',
    (r) => `$6$${r.text(8)}$${r.text(86)}`,
    (s) => `ann:${s}:19000:0:99999:7:::`,
  ),
  kind(
    'argon2',
    (r) => `$argon2id$v=19$m=65536,t=3,p=4$${r.text(22)}$${r.text(43)}`,
    (s) => `hash: ${s}`,
  ),
  kind(
    'django hash',
    (r) => `pbkdf2_sha256$260000$${r.text(22)}$${r.text(43)}=`,
    (s) => `"password": "${s}"`,
  ),
  kind(
    'ldap SSHA',
    (r) => `{SSHA}${r.text(38)}==`,
    (s) => `userPassword: ${s}`,
  ),
  kind(
    'wireguard',
    (r) => `${r.text(43, 'b')}=`,
    (s) => `[Interface]\nPrivateKey = ${s}\nAddress = 10.0.0.1/24`,
  ),
  kind(
    'wireguard psk',
    (r) => `${r.text(43, 'b')}=`,
    (s) => `PresharedKey = ${s}`,
  ),
  kind('wpa_supplicant', password, (s) => `network={\n  ssid="home"\n  psk="${s}"\n}`),
  kind(
    'aws credentials',
    (r) => r.text(40, 'b'),
    (s) => `[default]\naws_access_key_id = AKIA${'Q3EGRZ7XN5T2WPLM'}\naws_secret_access_key = ${s}`,
  ),
  kind(
    'aws session token',
    (r) => r.text(200, 'b'),
    (s) => `aws_session_token=${s}`,
  ),
  kind(
    'aws secret, env',
    (r) => r.text(40, 'b'),
    (s) => `export AWS_SECRET_ACCESS_KEY=${s}`,
  ),
  kind(
    'aws json',
    (r) => r.text(40, 'b'),
    (s) => `{"SecretAccessKey": "${s}"}`,
  ),
  kind(
    'aws csv',
    (r) => r.text(40, 'b'),
    (s) => `Access key ID,Secret access key\nAKIAQ3EGRZ7XN5T2WPLM,${s}`,
  ),
  kind(
    'aws cli',
    (r) => r.text(40, 'b'),
    (s) => `aws configure set aws_secret_access_key ${s}`,
  ),
  kind('gcp service account', pem('PRIVATE KEY'), (s) =>
    JSON.stringify({ type: 'service_account', private_key: `${s}\n`, client_id: '123' }),
  ),
  kind('gcp private_key_id', hex(40), (s) => `"private_key_id": "${s}",\n"private_key": "x"`),
  kind(
    'azure storage',
    (r) => `${r.text(86, 'b')}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=${s};EndpointSuffix=core.windows.net`,
  ),
  kind(
    'azure service bus',
    (r) => `${r.text(43, 'b')}=`,
    (s) => `Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
  ),
  kind(
    'azure sas',
    (r) => `${r.text(43)}%3D`,
    (s) => `https://shop.blob.core.windows.net/c/f.txt?sv=2022-11-02&sr=b&sp=r&se=2026-01-01&sig=${s}`,
  ),
  kind(
    'azure sql',
    password,
    (s) => `Server=tcp:shop.database.windows.net,1433;Database=shop;User ID=ann;Password=${s};Encrypt=true;`,
  ),
  kind('azure client secret', alnum(34), (s) => `AZURE_CLIENT_SECRET=${s}`),
  kind('azure openai', hex(32), (s) => `AZURE_OPENAI_API_KEY=${s}`),
  kind('odbc', password, (s) => `Driver={SQL Server};Server=db;Uid=sa;Pwd=${s};`),
  kind('jdbc parameters', password, (s) => `jdbc:mysql://db:3306/shop?user=ann&password=${s}&useSSL=false`),
  kind('jdbc oracle', password, (s) => `jdbc:oracle:thin:ann/${s}@db:1521/shop`),
  kind('libpq keywords', password, (s) => `host=db dbname=shop user=ann password=${s} sslmode=require`),
  kind('terraform', password, (s) => `resource "aws_db_instance" "d" {\n  password = "${s}"\n}`),
  kind('terraform variable', password, (s) => `variable "db_password" {\n  type    = string\n  default = "${s}"\n}`),
  kind('tfvars', alnum(24), (s) => `db_master_password = "${s}"`),
  kind('tfstate output', password, (s) => `"outputs": {"db_password": {"value": "${s}", "type": "string"}}`),
  kind('terraform credentials', alnum(40), (s) => `credentials "app.terraform.io" {\n  token = "${s}"\n}`),
  kind('ansible', password, (s) => `ansible_become_pass: ${s}`),
  kind('ansible ssh', password, (s) => `web1 ansible_host=10.0.0.1 ansible_ssh_pass=${s}`),
  kind(
    'ansible vault',
    (r) => Array.from({ length: 4 }, () => r.text(80, 'h')).join('\n'),
    (s) => `$ANSIBLE_VAULT;1.1;AES256\n${s}\n`,
  ),
  kind('rails master key', hex(32), (s) => `RAILS_MASTER_KEY=${s}`),
  kind('rails secret_key_base', hex(128), (s) => `  secret_key_base: ${s}`),
  kind(
    'django secret',
    (r) => `django-insecure-${r.text(40, 'a-z0-9!@#$%^&*')}`,
    (s) => `SECRET_KEY = '${s}'`,
  ),
  kind(
    'laravel app key',
    (r) => `base64:${r.text(43, 'b')}=`,
    (s) => `APP_KEY=${s}`,
  ),
  kind('flask', alnum(24), (s) => `app.config['SECRET_KEY'] = '${s}'`),
  kind(
    'wordpress',
    (r) => r.text(64, 'a-zA-Z0-9!@#%^&*'),
    (s) => `define('AUTH_KEY', '${s}');`,
  ),
  kind('wordpress password', password, (s) => `define( 'DB_PASSWORD', '${s}' );`),
  kind('nextauth', base64(32), (s) => `NEXTAUTH_SECRET=${s}`),
  kind('jwt secret', password, (s) => `JWT_SECRET=${s}`),
  kind('session secret', alnum(20), (s) => `app.use(session({ secret: '${s}', resave: false }))`),
  kind('web.config', password, (s) => `<add key="SmtpPassword" value="${s}" />`),
  kind('nuget', password, (s) => `<add key="ClearTextPassword" value="${s}" />`),
  kind(
    'maven settings',
    password,
    (s) => `<server><id>x</id><username>ann</username><password>${s}</password></server>`,
  ),
  kind('spring xml', password, (s) => `<property name="password" value="${s}"/>`),
  kind('xml attribute', password, (s) => `<Resource name="jdbc/shop" username="ann" password="${s}" />`),
  kind('plist', password, (s) => `<key>Password</key>\n<string>${s}</string>`),
  kind('gradle', password, (s) => `    keyPassword '${s}'`),
  kind('gradle properties', password, (s) => `RELEASE_STORE_PASSWORD=${s}`),
  kind('nginx header', alnum(32), (s) => `proxy_set_header X-Api-Key ${s};`),
  kind(
    'composer auth',
    alnum(40),
    (s) => `{"github-oauth": {"github.com": "x"}, "http-basic": {"h": {"username": "u", "password": "${s}"}}}`,
  ),
  kind('cargo credentials', alnum(32), (s) => `[registry]\ntoken = "${s}"`),
  kind('gem credentials', hex(48), (s) => `:rubygems_api_key: ${s}`),
  kind('vault role secret', uuid, (s) => `secret_id: ${s}`),
  kind('snmp', password, (s) => `snmp-server community ${s} RO`),
  kind('smtp url', password, (s) => `MAILER_DSN=smtp://ann:${s}@mail.example.com:587`),
  kind('sentry dsn', hex(32), (s) => `SENTRY_DSN=https://${s}@o1234.ingest.sentry.io/5678`),
  // URLs.
  kind('postgres url', password, (s) => `postgres://shop:${s}@db.internal:5432/shop`),
  kind('postgresql+psycopg url', password, (s) => `DATABASE_URL="postgresql+psycopg2://shop:${s}@db/shop"`),
  kind('mysql url', password, (s) => `mysql://root:${s}@127.0.0.1:3306/shop`),
  kind('mongodb+srv', password, (s) => `mongodb+srv://ann:${s}@cluster0.ab1cd.mongodb.net/shop?retryWrites=true`),
  kind('redis without user', password, (s) => `redis://:${s}@cache:6379/0`),
  kind('rediss', alnum(40), (s) => `rediss://default:${s}@eu1.upstash.io:33079`),
  kind('amqp', password, (s) => `amqp://guest:${s}@rabbit:5672/vhost`),
  kind('ftp', password, (s) => `ftp://ann:${s}@ftp.example.com/x`),
  kind('ldap', password, (s) => `ldap://cn=admin:${s}@ldap.example.com`),
  kind('https basic auth', password, (s) => `curl https://ann:${s}@example.com/x`),
  kind('https token user', alnum(40), (s) => `git clone https://${s}@git.example.com/shop.git`),
  kind('oauth2 token url', alnum(26), (s) => `https://oauth2:${s}@gitlab.example.com/shop.git`),
  kind('proxy', password, (s) => `HTTPS_PROXY=http://ann:${s}@proxy:3128`),
  kind('clickhouse', password, (s) => `clickhouse://default:${s}@ch:9000/shop`),
  kind(
    'slack webhook',
    (r) => `T0${r.text(7, 'u')}/B0${r.text(7, 'u')}/${r.text(24)}`,
    (s) => `https://hooks.slack.com/services/${s}`,
  ),
  kind(
    'discord webhook',
    (r) => r.text(68, 'w'),
    (s) => `https://discord.com/api/webhooks/123456789012345678/${s}`,
  ),
  kind(
    'teams webhook',
    (r) => r.text(32, 'h'),
    (s, r) => `https://shop.webhook.office.com/webhookb2/${r.uuid()}@${r.uuid()}/IncomingWebhook/${s}/${r.uuid()}`,
  ),
  kind(
    'zapier',
    (r) => r.text(8, 'l'),
    (s) => `https://hooks.zapier.com/hooks/catch/1234567/${s}/`,
  ),
  kind(
    'telegram url',
    (r) => `AA${r.text(33, 'w')}`,
    (s) => `https://api.telegram.org/bot123456789:${s}/getMe`,
  ),
  kind(
    's3 signed url',
    hex(64),
    (s) =>
      `https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260101T000000Z&X-Amz-Signature=${s}`,
  ),
  kind(
    'gcs signed url',
    hex(256),
    (s) => `https://storage.googleapis.com/b/o?X-Goog-Expires=3600&X-Goog-Signature=${s}`,
  ),
  kind(
    'cloudfront signed url',
    (r) => r.text(120, 'w'),
    (s) => `https://d1.cloudfront.net/x?Expires=1&Signature=${s}&Key-Pair-Id=APKA`,
  ),
  kind('query token', alnum(24), (s) => `GET /api/items?token=${s}&page=2`),
  kind('query access_token', alnum(40), (s) => `https://api.example.com/me?access_token=${s}`),
  kind('query api_key', hex(32), (s) => `https://api.example.com/v1?api_key=${s}`),
  kind('query key', alnum(32), (s) => `https://api.example.com/v1?key=${s}`),
  kind('query appid', hex(32), (s) => `https://api.openweathermap.org/data?q=x&apikey=${s}`),
  kind(
    'otpauth',
    (r) => r.text(32, 'A-Z2-7'),
    (s) => `otpauth://totp/Shop:ann?secret=${s}&issuer=Shop`,
  ),
  kind('urlencoded form', password, (s) => `grant_type=password&username=ann&password=${s}&scope=x`),
  kind('urlencoded twice', alnum(24), (s) => `redirect=https%3A%2F%2Fx%2F%3Faccess_token%3D${s}%26y`),
  // Headers.
  kind('bearer', alnum(40), (s) => `Authorization: Bearer ${s}`),
  kind('bearer, short', lower(20), (s) => `-H "Authorization: Bearer ${s}"`),
  kind(
    'basic',
    (r) => Buffer.from(`ann:${r.password()}`).toString('base64'),
    (s) => `Authorization: Basic ${s}`,
  ),
  kind('token scheme', hex(40), (s) => `Authorization: token ${s}`),
  kind(
    'proxy authorization',
    (r) => Buffer.from(`ann:${r.password()}`).toString('base64'),
    (s) => `Proxy-Authorization: Basic ${s}`,
  ),
  kind('authorization in code', alnum(32), (s) => `headers: { Authorization: 'Bearer ${s}' }`),
  kind('authorization in Python', alnum(32), (s) => `requests.get(u, headers={"Authorization": f"Bearer ${s}"})`),
  kind('x-api-key', alnum(32), (s) => `X-Api-Key: ${s}`),
  kind('x-auth-token', alnum(32), (s) => `-H 'X-Auth-Token: ${s}'`),
  kind('private-token', alnum(20), (s) => `curl --header "PRIVATE-TOKEN: ${s}" https://gitlab.example.com`),
  kind('x-vault-token', alnum(26), (s) => `X-Vault-Token: ${s}`),
  kind('subscription key', hex(32), (s) => `Ocp-Apim-Subscription-Key: ${s}`),
  kind('cookie', alnum(32), (s) => `Cookie: theme=dark; sessionid=${s}; lang=en`),
  kind('set-cookie', alnum(40), (s) => `Set-Cookie: sid=${s}; Path=/; HttpOnly`),
  kind(
    'connect.sid',
    (r) => `s%3A${r.text(32)}.${r.text(43)}`,
    (s) => `Cookie: connect.sid=${s}`,
  ),
  kind('digest', hex(32), (s) => `Authorization: Digest username="ann", realm="x", response="${s}"`),
  kind(
    'aws4 signature',
    hex(64),
    (s) =>
      `Authorization: AWS4-HMAC-SHA256 Credential=AKIAQ3EGRZ7XN5T2WPLM/20260101/eu/s3/aws4_request, SignedHeaders=host, Signature=${s}`,
  ),
  kind('csrf', alnum(40), (s) => `X-CSRF-Token: ${s}`),
  // Command lines.
  kind('curl -u', password, (s) => `curl -u ann:${s} https://example.com`),
  kind('curl -u quoted', password, (s) => `curl -s -u "ann:${s}" https://example.com`),
  kind('curl -u glued', password, (s) => `curl -uann:${s} https://example.com`),
  kind('curl --user', password, (s) => `curl --user ann:${s} https://example.com`),
  kind('curl continued', password, (s) => `curl -X POST \\\n  -u ann:${s} \\\n  https://example.com`),
  kind('curl cookie', alnum(32), (s) => `curl -b "session=${s}" https://example.com`),
  kind('curl data', password, (s) => `curl -d '{"login":"ann","password":"${s}"}' https://example.com`),
  kind('wget', password, (s) => `wget --http-user=ann --http-password=${s} https://example.com`),
  kind('httpie', password, (s) => `http -a ann:${s} example.com`),
  kind('--password x', password, (s) => `tool login --username ann --password ${s} --quiet`),
  kind('--password=x', password, (s) => `tool login --password=${s}`),
  kind("--password 'x'", password, (s) => `tool --password '${s}'`),
  kind('--token x', alnum(24), (s) => `deploy --token ${s} --prod`),
  kind('--api-key', alnum(24), (s) => `tool --api-key ${s}`),
  kind('argv', password, (s) => `["mysql", "--password", "${s}", "shop"]`),
  kind('mysql -p', password, (s) => `mysql -u root -p${s} shop`),
  kind('mysqldump -p', password, (s) => `mysqldump -h db -uroot -p'${s}' shop > x.sql`),
  kind('PGPASSWORD', password, (s) => `PGPASSWORD=${s} psql -h db -U ann shop`),
  kind('sshpass', password, (s) => `sshpass -p '${s}' ssh ann@10.0.0.1`),
  kind('sshpass, bare', password, (s) => `sshpass -p ${s} scp a b`),
  kind('docker login', password, (s) => `docker login -u ann -p ${s} registry.example.com`),
  kind('docker stdin', password, (s) => `echo "${s}" | docker login -u ann --password-stdin`),
  kind('docker run -e', password, (s) => `docker run -e POSTGRES_PASSWORD=${s} -d postgres`),
  kind('redis-cli', password, (s) => `redis-cli -h cache -a ${s} ping`),
  kind('mongo', password, (s) => `mongosh -u ann -p ${s} --host db`),
  kind('ldapsearch', password, (s) => `ldapsearch -x -D cn=admin -w ${s} -b dc=x`),
  kind('sqlcmd', password, (s) => `sqlcmd -S db -U sa -P '${s}' -Q "select 1"`),
  kind('sqlplus', password, (s) => `sqlplus ann/${s}@shop`),
  kind('zip', password, (s) => `zip -P ${s} -r x.zip dir`),
  kind('7z', password, (s) => `7z a -p${s} x.7z dir`),
  kind('openssl', password, (s) => `openssl rsa -in k.pem -passin pass:${s}`),
  kind('gpg', password, (s) => `gpg --batch --passphrase ${s} -d x.gpg`),
  kind('keytool', password, (s) => `keytool -list -keystore k.jks -storepass ${s}`),
  kind('htpasswd -b', password, (s) => `htpasswd -bc .htpasswd ann ${s}`),
  kind('chpasswd', password, (s) => `echo "ann:${s}" | chpasswd`),
  kind('sudo -S', password, (s) => `echo '${s}' | sudo -S apt update`),
  kind('net user', password, (s) => `net user ann ${s} /add`),
  kind('smbclient', password, (s) => `smbclient //srv/share -U ann%${s}`),
  kind('kubectl from-literal', password, (s) => `kubectl create secret generic x --from-literal=dbvalue=${s}`),
  kind('vault login', alnum(26), (s) => `vault login ${s}`),
  kind('rabbitmqctl', password, (s) => `rabbitmqctl add_user ann ${s}`),
  kind('ngrok', alnum(40), (s) => `ngrok config add-authtoken ${s}`),
  kind('npm config set', alnum(36), (s) => `npm config set //registry.example.com/:_authToken ${s}`),
  kind('git remote', alnum(36), (s) => `git remote set-url origin https://ann:${s}@git.example.com/x.git`),
  kind('sonar', hex(40), (s) => `sonar-scanner -Dsonar.login=${s}`),
  kind('maven -D', password, (s) => `mvn deploy -Dnexus.password=${s}`),
  kind('gh secret', alnum(30), (s) => `gh secret set DEPLOY --body "${s}"`),
  kind('heroku config', alnum(30), (s) => `heroku config:set STRIPE_THING=${s}`),
  kind('lftp', password, (s) => `lftp -u ann,${s} ftp.example.com`),
  kind('expect', password, (s) => `set password "${s}"`),
  kind('securestring', password, (s) => `ConvertTo-SecureString "${s}" -AsPlainText -Force`),
  // Code.
  kind('js const', alnum(24), (s) => `const apiKey = '${s}'`),
  kind('js password', password, (s) => `const password = "${s}";`),
  kind('ts typed', password, (s) => `private readonly password: string = '${s}'`),
  kind('js object', alnum(24), (s) => `new Client({ accessToken: "${s}" })`),
  kind('js env fallback', alnum(24), (s) => `const secret = process.env.SECRET || '${s}'`),
  kind('python', password, (s) => `DB_PASSWORD = "${s}"`),
  kind('python kwargs', password, (s) => `connect(host='db', user='ann', password='${s}')`),
  kind('python environ', alnum(24), (s) => `os.environ["API_TOKEN"] = "${s}"`),
  kind('python getenv default', alnum(24), (s) => `os.getenv("API_SECRET", "${s}")`),
  kind('python dict', password, (s) => `DATABASES = {'default': {'PASSWORD': '${s}'}}`),
  kind('go', password, (s) => `password := "${s}"`),
  kind('go struct', password, (s) => `cfg := Config{Password: "${s}"}`),
  kind('rust', alnum(24), (s) => `let api_key: &str = "${s}";`),
  kind('java', password, (s) => `private static final String PASSWORD = "${s}";`),
  kind('java setter', password, (s) => `ds.setPassword("${s}");`),
  kind('c#', password, (s) => `var password = @"${s}";`),
  kind('php', password, (s) => `$password = '${s}';`),
  kind('php array', password, (s) => `'password' => '${s}',`),
  kind('ruby', password, (s) => `password: '${s}',`),
  kind('ruby hash rocket', password, (s) => `:password => "${s}"`),
  kind('perl', password, (s) => `my $password = "${s}";`),
  kind('swift', alnum(24), (s) => `let apiKey: String = "${s}"`),
  kind('kotlin', alnum(24), (s) => `val apiKey: String = "${s}"`),
  kind('c define', alnum(24), (s) => `#define API_KEY "${s}"`),
  kind('comparison', password, (s) => `if (password === "${s}") login()`),
  kind('sql identified by', password, (s) => `CREATE USER 'ann'@'%' IDENTIFIED BY '${s}';`),
  kind('sql with password', password, (s) => `CREATE ROLE ann WITH LOGIN PASSWORD '${s}';`),
  kind('sql alter user', password, (s) => `ALTER USER ann WITH ENCRYPTED PASSWORD '${s}';`),
  kind(
    'sql insert hash',
    (r) => `$2b$12$${r.text(53)}`,
    (s) => `INSERT INTO users VALUES (1, 'ann', '${s}');`,
  ),
  kind(
    'jwk',
    (r) => r.text(43, 'w'),
    (s) => `{"kty":"EC","crv":"P-256","x":"abc","d":"${s}"}`,
  ),
  // Prose.
  kind('the password is', password, (s) => `The password is ${s}, log in as ann.`),
  kind('password:', password, (s) => `password: ${s}`),
  kind('Password:', password, (s) => `Login: ann\nPassword: ${s}\n`),
  kind('my token is', alnum(24), (s) => `my token is ${s}`),
  kind('API key:', alnum(32), (s) => `API key: ${s}`),
  kind('use as password', password, (s) => `use ${s} as the password`),
  kind('in backticks', password, (s) => `the password is \`${s}\``),
  kind('credentials', password, (s) => `credentials: ann:${s}`),
  kind('passphrase', password, (s) => `passphrase for the key: "${s}"`),
  kind(
    'seed phrase',
    (r) =>
      Array.from({ length: 12 }, () =>
        r.pick(['river', 'apple', 'zebra', 'lemon', 'magic', 'orbit', 'panel', 'quick', 'rural', 'sugar']),
      ).join(' '),
    (s) => `seed phrase: ${s}`,
  ),
  kind(
    'mnemonic in code',
    (r) =>
      Array.from({ length: 12 }, () =>
        r.pick(['river', 'apple', 'zebra', 'lemon', 'magic', 'orbit', 'panel', 'quick', 'rural', 'sugar']),
      ).join(' '),
    (s) => `MNEMONIC="${s}"`,
  ),
  kind(
    'recovery codes',
    (r) => `${r.text(5, 'l')}-${r.text(5, 'l')}`,
    (s) => `recovery codes: ${s}`,
  ),
  // Keys.
  ...[
    'PRIVATE KEY',
    'RSA PRIVATE KEY',
    'EC PRIVATE KEY',
    'DSA PRIVATE KEY',
    'OPENSSH PRIVATE KEY',
    'ENCRYPTED PRIVATE KEY',
    'PGP PRIVATE KEY BLOCK',
  ].map((label) => kind(label, pem(label), (s) => s)),
  kind(
    'key on one line',
    (r) => pem('RSA PRIVATE KEY')(r).replaceAll('\n', '\\n'),
    (s) => `PRIVATE_KEY="${s}"`,
  ),
  kind(
    'key, cut',
    (r) => pem('RSA PRIVATE KEY')(r).split('\n').slice(0, 4).join('\n'),
    (s) => `${s}\n`,
  ),
  kind(
    'putty key',
    (r) => r.text(64, 'b'),
    (s) => `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n${s}\n`,
  ),
  kind('ethereum', hex(64), (s) => `PRIVATE_KEY=0x${s}`),
  kind('heroku', uuid, (s) => `HEROKU_API_KEY=${s}`),
  kind('snyk', uuid, (s) => `SNYK_TOKEN=${s}`),
  ...(
    [
      ['ADAFRUIT_IO_KEY', 32, 'l'],
      ['AIRTABLE_API_KEY', 17, 'l'],
      ['ALGOLIA_API_KEY', 32, 'l'],
      ['ALIBABA_SECRET_KEY', 30, 'l'],
      ['asana_client_secret', 32, 'l'],
      ['BITBUCKET_CLIENT_SECRET', 64, 'w'],
      ['bittrex_access_key', 32, 'l'],
      ['CLOUDFLARE_API_TOKEN', 40, 'w'],
      ['CLOUDFLARE_API_KEY', 37, 'h'],
      ['CODECOV_TOKEN', 32, 'l'],
      ['COHERE_API_KEY', 40, 'a'],
      ['COINBASE_SECRET', 64, 'w'],
      ['CONFLUENT_SECRET', 64, 'l'],
      ['CONTENTFUL_ACCESS_TOKEN', 43, 'w'],
      ['DATADOG_API_KEY', 32, 'h'],
      ['DD_APP_KEY', 40, 'h'],
      ['DISCORD_CLIENT_SECRET', 32, 'w'],
      ['DRONE_TOKEN', 32, 'l'],
      ['DROPBOX_SECRET', 15, 'l'],
      ['ETSY_ACCESS_TOKEN', 24, 'l'],
      ['FACEBOOK_APP_SECRET', 32, 'h'],
      ['FASTLY_API_TOKEN', 32, 'w'],
      ['FINICITY_CLIENT_SECRET', 20, 'l'],
      ['FLICKR_SECRET', 32, 'l'],
      ['FRESHBOOKS_TOKEN', 64, 'l'],
      ['gitter_access_token', 40, 'w'],
      ['HUBSPOT_API_KEY', 36, 'h'],
      ['INTERCOM_TOKEN', 60, 'w'],
      ['JFROG_API_KEY', 73, 'a'],
      ['KRAKEN_API_SECRET', 86, 'b'],
      ['KUCOIN_ACCESS_KEY', 24, 'h'],
      ['LAUNCHDARKLY_ACCESS_TOKEN', 40, 'w'],
      ['LINKEDIN_CLIENT_SECRET', 16, 'l'],
      ['LOB_API_KEY', 40, 'h'],
      ['MAPBOX_TOKEN', 60, 'a'],
      ['MATTERMOST_TOKEN', 26, 'l'],
      ['MESSAGEBIRD_API_KEY', 25, 'l'],
      ['MISTRAL_API_KEY', 32, 'a'],
      ['NETLIFY_AUTH_TOKEN', 43, 'w'],
      ['NEW_RELIC_API_KEY', 64, 'l'],
      ['NYTIMES_API_KEY', 32, 'w'],
      ['OKTA_API_TOKEN', 42, 'w'],
      ['PAYPAL_CLIENT_SECRET', 80, 'w'],
      ['PLAID_SECRET', 30, 'l'],
      ['RAPIDAPI_KEY', 50, 'w'],
      ['SENDBIRD_ACCESS_TOKEN', 40, 'h'],
      ['SENTRY_AUTH_TOKEN', 64, 'h'],
      ['SPOTIFY_CLIENT_SECRET', 32, 'h'],
      ['SQUARESPACE_ACCESS_TOKEN', 36, 'h'],
      ['SUMO_ACCESS_KEY', 64, 'l'],
      ['TRAVIS_TOKEN', 22, 'l'],
      ['TRELLO_TOKEN', 64, 'h'],
      ['TWILIO_AUTH_TOKEN', 32, 'h'],
      ['TWITCH_CLIENT_SECRET', 30, 'l'],
      ['TWITTER_API_SECRET', 50, 'a'],
      ['VERCEL_TOKEN', 24, 'a'],
      ['YANDEX_SECRET', 40, 'w'],
      ['ZENDESK_SECRET_KEY', 40, 'l'],
      ['AUTH0_CLIENT_SECRET', 64, 'w'],
      ['PUSHER_APP_SECRET', 20, 'h'],
      ['TRAVIS_CI_KEY', 22, 'l'],
    ] as const
  ).map(([name, length, characters]) =>
    kind(
      name,
      (r) => r.text(length, characters),
      (s, r) =>
        r.pick([
          `${name}=${s}`,
          `${name}: ${s}`,
          `${name} = "${s}"`,
          `"${name}": "${s}"`,
          `${name.toLowerCase()}: '${s}'`,
        ]),
    ),
  ),
]

export const secretKinds: readonly SecretKind[] = [...formKinds, ...contextKinds]
