import { expect, test } from 'vitest'
import { hidesProcesses, otherAccounts } from './process-list.ts'

test('hidepid of /proc, as number or name', () => {
  const mounted = (options: string): boolean =>
    hidesProcesses(`sysfs /sys sysfs rw 0 0\nproc /proc proc ${options} 0 0\n`)
  expect(['rw,nosuid,hidepid=2', 'rw,hidepid=invisible,gid=5', 'rw,hidepid=1'].map(mounted)).toEqual([true, true, true])
  expect(['rw,nosuid', 'rw,hidepid=0', 'rw,hidepid=off'].map(mounted)).toEqual([false, false, false])
  expect(hidesProcesses('')).toBe(false)
})

test("other people's accounts, without services and our own", () => {
  const passwd = [
    'root:x:0:0:root:/root:/bin/bash',
    'www:x:1005:33:www:/var/www:/usr/sbin/nologin',
    'ann:x:1000:1000::/home/ann:/bin/bash',
    'ben:x:1001:1001::/home/ben:/bin/zsh',
    'nobody:x:65534:65534:nobody:/:/bin/sh',
    '',
  ].join('\n')
  expect(otherAccounts(passwd, 1000)).toEqual(['ben'])
  expect(otherAccounts(passwd, 0)).toEqual(['ann', 'ben'])
})
