import { expect, test } from 'vitest'
import { parseListPage, textOf } from './s3-xml.ts'

test('reads a page of a list, with entities in names', () => {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><Prefix>p&amp;q/</Prefix>
<IsTruncated>true</IsTruncated><NextContinuationToken>a&quot;b=</NextContinuationToken>
<Contents><Key>p&amp;q/&lt;Key&gt;&#x1F600;&#13;&amp;lt;</Key><LastModified>2026-11-18T00:00:01.500Z</LastModified>
<ETag>&quot;x&quot;</ETag><Size>12</Size></Contents>
<Contents><Key/><LastModified>x</LastModified><Size>0</Size></Contents>
<CommonPrefixes><Prefix>p&amp;q/&apos;/</Prefix></CommonPrefixes></ListBucketResult>`
  expect(parseListPage(xml)).toEqual({
    objects: [
      { key: 'p&q/<Key>\u{1F600}\r&lt;', size: 12, modified: Date.parse('2026-11-18T00:00:01.500Z') },
      { key: '', size: 0, modified: Number.NaN },
    ],
    prefixes: ["p&q/'/"],
    next: 'a"b=',
  })
})

test('the last page has no next one, and something else is no page', () => {
  expect(parseListPage('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>')).toEqual({
    objects: [],
    prefixes: [],
    next: undefined,
  })
  expect([parseListPage('<html></html>'), parseListPage('')]).toEqual([undefined, undefined])
})

test('unknown entities stay as they are', () => {
  expect(textOf('<Message>&nbsp;&#xFFFFFF;&#9999999;&</Message>', 'Message')).toBe('&nbsp;&#xFFFFFF;&#9999999;&')
})
