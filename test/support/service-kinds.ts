import { type Random, type SecretKind, sampleOf } from './secret-kinds.ts'

/** Services whose keys have no prefix, by the form of the key: only the name beside it tells what it is. */
const services: readonly (readonly [form: string, names: string])[] = [
  [
    '<h32>',
    'Hex Rollbar Airbrake Mailjet Customer.io Loops Algolia AssemblyAI Infura Mixpanel Amplitude Gitee Teleport Mailtrap Tuya Kakao WeChat_secret IONOS Namecheap',
  ],
  ['0.<h8>-<h4>-<h4>-<h4>-<h12>.<a30>:<b22>==', 'Bitwarden'],
  ['<a22>', 'Travis'],
  ['<a32>', 'Drone Zulip Box Mistral Fivetran Logz Battle OVH'],
  [
    '<h8>-<h4>-<h4>-<h4>-<h12>',
    'Snyk Cypress OpsGenie Wise Postmark Exa Smithery Frontegg Airbyte Splunk_HEC Loggly Nomad Consul',
  ],
  ['<a20>', 'BrowserStack Freshdesk Papertrail Gemfury'],
  ['<a24>', 'BetterStack Turbo Gandi'],
  ['<l24>', 'Etsy'],
  ['<H64>', 'Iugu'],
  ['<h32>-<h8>-<h8>', 'Mailgun2'],
  ['<h40>', 'SparkPost Todoist Strava Deepgram Weights&Biases Appcircle Gitea Codeberg Cloudsmith Lokalise Particle'],
  ['<a16>', 'Vonage'],
  ['<a25>', 'MessageBird Comet'],
  ['<h20>', 'Pusher'],
  ['<a6>.<a6>:<w43>', 'Ably'],
  ['<b170>=', 'Line'],
  ['<h16>-<h16>-<h16>', 'Viber'],
  ['<l26>', 'Mattermost'],
  ['<w43>', 'Rocket.Chat HERE Codemagic Unity'],
  ['<a40>', 'Zendesk Duo'],
  ['1/<d16>:<h32>', 'Asana'],
  ['2/<d16>/<d16>:<h32>', 'Asana2'],
  ['<h64>', 'Webflow Together Phrase Linode'],
  ['<d18>-<a40>', 'Twitter_access'],
  ['<w27>', 'Reddit'],
  ['<w128>', 'Yelp'],
  ['<h32>.<a16>', 'Zhipu'],
  ['<a8>.<a32>', 'Baseten'],
  ['2<a26>_<a21>', 'Ngrok'],
  ['<w40>', 'Cloudflare_tok Expo Qiniu'],
  ['<w32>', 'Fastly Alchemy'],
  ['<w64>', 'FusionAuth Coinbase'],
  ['<u34>', 'Etherscan'],
  ['<a64>', 'Binance Nx_Cloud Hetzner'],
  ['<b86>==', 'Kraken'],
  ['<a60>==', 'Elastic'],
  ['<h80>', 'Crowdin'],
  ['1/<h40>', 'Transifex'],
  ['<H32>', 'Steam'],
  ['<u36>', 'Vultr'],
  ['<w44>', 'IBM'],
  ['<a50>', 'Civo'],
  ['<a12>_<a22>', 'Godaddy'],
  ['<h8>-<h4>-<h4>-<h12>-<h4>-<h4>', 'Bunny'],
]

const words = ['token', 'API key', 'key', 'secret', 'access token'] as const

/** The ways in which such a key is written, by the place where that is done. */
const texts: Readonly<Record<string, (service: string, key: string, random: Random) => string>> = {
  sentence: (service, key, r) => `My ${service} ${r.pick(words)} is ${key}.`,
  label: (service, key, r) => `${service} ${r.pick(words)}: ${key}`,
  apposition: (service, key, r) => `the ${service} API key (${key}) expires soon${r.pick(['', '.'])}`,
  export: (service, key, r) => `export ${variable(service, r)}=${key}`,
  option: (service, key, r) => `tool --${variable(service, r).toLowerCase().replaceAll('_', '-')} ${key} --verbose`,
  header: (_service, key) => `curl -H "Authorization: Bearer ${key}" https://api.example.com`,
  json: (service, key, r) => JSON.stringify({ ok: true, [camel(variable(service, r))]: key, n: 1 }),
  setting: (service, key, r) => `  ${variable(service, r).toLowerCase()}: ${key}`,
  constant: (service, key, r) => `const ${camel(variable(service, r))} = '${key}'`,
  saved: (service, key, r) => `✓ ${service} ${r.pick(['token', 'key'])} ${key} saved`,
}

function variable(service: string, random: Random): string {
  const suffix = random.pick(['TOKEN', 'API_KEY', 'KEY', 'SECRET', 'ACCESS_TOKEN'])
  return `${service.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_${suffix}`
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** One of each service; how it is written differs by the seed. */
export const serviceKinds: readonly SecretKind[] = services.flatMap(([form, names]) =>
  names.split(' ').map((name) => ({
    name: `${name} ${form}`,
    make(random: Random) {
      const service = name.replaceAll('_', ' ')
      const secret = sampleOf(form, random)
      return { text: random.pick(Object.values(texts))(service, secret, random), secret }
    },
  })),
)
