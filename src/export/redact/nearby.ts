import { lastBefore } from './bounded.ts'
import type { Found } from './found.ts'
import { strengthOf } from './names.ts'
import { isGibberish, isHash, isMixed, isPlaceholder, isRandom, isSlug, isUuid } from './values.ts'

/** How far before a value, on its line, its name is looked for. */
const REACH = 90
const LONGEST = 512

/** Services whose keys have no form of their own; their name beside such a value tells what it is. */
const VENDORS = [
  'abuseipdb accuweather adafruit adyen airbrake airship airtable akamai alchemy algolia alibaba aliyun amplitude anthropic',
  'apify appcircle appveyor artifactory assemblyai auth0 azure ?devops bigcommerce binance bitrise bittrex braintree braze',
  'brightdata bugsnag buildkite calendly censys circleci civo clickup cloudflare cloudinary cloudsmith codacy codeclimate',
  'codecov codemagic cohere coinbase confluent contentful coveralls crowdin customer\\.io datadog deepgram digitalocean',
  'dingtalk discord dropbox dynatrace elevenlabs etherscan etsy eventbrite facebook fastly feishu filestack finnhub fitbit',
  'fivetran flickr foursquare freshbooks freshdesk frontegg gandi gemfury gitee gitter godaddy grafana greynoise helpscout',
  'heroku hetzner honeybadger honeycomb hubspot huggingface infura ipinfo ipstack iterable jenkins jfrog jotform jumpcloud kakao',
  'klaviyo kraken kucoin lastfm launchdarkly linkedin linode locationiq loggly logdna logz lokalise mailchimp mailgun mailjet mailtrap mandrill',
  'mapbox mattermost maxmind meraki messagebird mixpanel namecheap netlify newrelic new ?relic newsapi nexmo nytimes okta onesignal opsgenie',
  'openweather optimizely ovh pagerduty papertrail paypal pinecone plaid plivo polygonscan postmark pubnub pusher qiniu quandl',
  'raygun razorpay replicate rollbar salesforce scraperapi securitytrails sendbird sendgrid sentry shodan shopify snyk sonarcloud',
  'sonarqube sparkpost splunk spotify squarespace storyblok strava sumologic supabase surveymonkey telegram telnyx tencent tiktok',
  'todoist tomtom transifex trello tuya twilio twitch twitter typeform uploadcare urlscan virustotal volcengine vonage vultr',
  'wakatime wandb webex webflow weixin wechat yandex yelp youtube zendesk zenrows zoom zulip ibm ?cloud weights ?& ?biases openai',
].flatMap((line) => line.split(/ (?!\?)/))

/** What may be between a name and its value: closing marks, a few words of a sentence, one separator, opening marks. */
const gap = (OTHER: string): string =>
  `["'\`*)\\]]{0,3}(?:[ \\t]{1,2}(?:is|was|are|as|for|of|on|from|with|the|my|our|your|a|an|new|old|current|this|that|value|here|now|account|provided|given|used|found|received|sent|created|generated|invalid|staging|production|prod|dev|test|user${OTHER})){0,5}(?:[ \\t]?\\([^()\\n]{1,20}\\))?[ \\t]{0,8}(?::=|=>|->|→|[:=|>])?[ \\t]{0,8}(?:<\\((?:echo|printf) )?["'\`(\\[<*]{0,3}$`

/** The last words before a value that may name it. */
const KEYS = [
  ...['token', 'secret', 'key', 'password', 'passwd', 'passphrase', 'credential', 'cred', 'pat', 'auth'],
  ...['login', 'signin', 'authenticate'],
].flatMap((word) => [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()])
const NAMED = new RegExp(
  `(?:^|[^A-Za-z0-9])((?:[A-Za-z][\\w.&-]{0,30}[ _-]){0,2}[\\w-]{0,30}?(?:${KEYS.join('|')})[sS]?)${gap('|[A-Z][\\w.&-]{1,20}')}`,
)
const SERVICE = new RegExp(
  `(?:^|[^A-Za-z0-9])(?:${VENDORS.join('|')})(?:[_ -]?[a-z]{2,12}){0,2}(?:${gap('')}|\\([^()\\n]{0,60}["'\`]$)`,
  'i',
)
const HINT = new RegExp(
  `login|signin|tok|secr|key|pass|cred|pat|auth|${VENDORS.map((name) => name.slice(0, 4)).join('|')}`,
  'i',
)

/** Beside one of these, a value is a digest or an id. */
const NO_SECRET =
  /(?:commit|sha-?\d*|md5|hash|digest|checksum|e-?tag|integrity|fingerprint|revision|\brev|tree|blob|parent|object|merge|cache|public|image|layer|nonce|\bref|uuid|guid|[a-z](?:_| |-|(?=I))id|\bids?|trace|request|session|thread|message|conversation|correlation|idempotency|primary|partition|foreign|sort|page|next|cursor|continuation)s?\W{0,8}$/i
const NO_SECRET_ANYWHERE =
  /\b(?:commit|sha-?(?:1|256|512)|md5|hash(?:es)?|digest|checksum|e-?tag|integrity|fingerprint|revision|blob|idempotency|cache)\b/i

/** Characters that join several runs to one token. */
const JOINED = /[A-Za-z0-9_+/=.~%-]/

/**
 * A value of letters and digits without a form of its own, at a run of word characters: a secret if a key or a service is
 * named just before it, on the same line, with nothing else between.
 */
export function nearbyAt(text: string, start: number, end: number): Found | undefined {
  if (end - start < 16 || end - start > LONGEST) return undefined
  const alone = judged(text, start, end, start, end)
  if (alone || !/[+/.~%=]/.test(`${text[start - 1] ?? ''}${text[end] ?? ''}`)) return alone
  let [first, last] = [start, end]
  while (first > 0 && start - first < LONGEST && JOINED.test(text[first - 1]!)) first--
  while (last < text.length && last - end < LONGEST && JOINED.test(text[last]!)) last++
  while (/[.~%-]/.test(text[last - 1]!)) last--
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(first, last))
  return judged(text, first, last, isBase64 ? first : start, isBase64 ? last : end)
}

/** Judges the characters from `valueStart`, of the token from `start`, after which its name would be. */
function judged(text: string, start: number, end: number, valueStart: number, valueEnd: number): Found | undefined {
  const value = text.slice(valueStart, valueEnd)
  const isFlat = isUuid(value) || isFlatRandom(value)
  if (!isFlat && !(isMixed(value) && (isRandom(value) || (value.length >= 20 && isGibberish(value))))) return undefined
  if (isSlug(value) || isPlaceholder(value) || /^sha\d/i.test(value)) return undefined
  const from = Math.max(lastBefore(text, '\n', start, REACH) + 1, start - REACH, 0)
  const before = text.slice(from, start)
  // Of a call, the argument before this one does not name it.
  if (!HINT.test(before) || (NO_SECRET.test(before) && !/,\s*["'`]$/.test(before))) return undefined
  if (isFlat && NO_SECRET_ANYWHERE.test(before)) return undefined
  const name = NAMED.exec(before)?.[1]
  const isNamed = name !== undefined && isName(name, isFlat)
  if (!isNamed && !SERVICE.test(before)) return undefined
  return { start, end, kind: 'secret', learn: true }
}

/** Letters of one case with digits: 32, 40 or 64 hexadecimal digits, or at least 20 others. */
function isFlatRandom(value: string): boolean {
  if (isHash(value)) return true
  return value.length >= 20 && /^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(value) && (isRandom(value) || isGibberish(value))
}

const DETERMINER =
  /^(?:th(?:is|at|e|ese|ose)|an?|my|our|your|its|each|every|any|no|one|another|which|what|if|when|new)$/i

/** Of `my Mailjet API key` the last two words count. */
function isName(name: string, isFlat: boolean): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[ _-]/)
  const strength = strengthOf(words.slice(-2).join('_')) ?? strengthOf(words.slice(-3).join('_'))
  if (/^pat$/i.test(words.at(-1)!)) return /^PAT$/.test(words.at(-1)!) || words.length > 1
  if (/^(?:login|signin|authenticate)$/i.test(words.at(-1)!)) return true
  if (strength === undefined) return false
  // `the key 3f2a…` may be that of a map; `the Mailjet key 3f2a…` is not.
  return (
    strength !== 'weak' ||
    (words.length > 1 && (!isFlat || (/^[A-Z][A-Za-z&]/.test(words.at(-2)!) && !DETERMINER.test(words.at(-2)!))))
  )
}
