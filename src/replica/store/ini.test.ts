import { expect, test } from 'vitest'
import { parseIni } from './ini.ts'

test('reads the files of AWS', () => {
  const text = `\uFEFF# a comment
ignored = before any section
[default]
aws_access_key_id = AKIA
AWS_SECRET_ACCESS_KEY=abc#d;e/f=g+h==
region = eu-west-1 # Ireland\r
empty =
[ profile  team ] ; comment
s3 =
  endpoint_url = http://nested
  max_concurrent_requests = 3
; comment
# comment
endpoint_url=http://plain
not a setting
[default]
region = eu-central-1`
  expect(Object.fromEntries([...parseIni(text)].map(([name, values]) => [name, Object.fromEntries(values)]))).toEqual({
    default: {
      aws_access_key_id: 'AKIA',
      aws_secret_access_key: 'abc#d;e/f=g+h==',
      region: 'eu-central-1',
      empty: '',
    },
    'profile team': { s3: '', endpoint_url: 'http://plain' },
  })
})
