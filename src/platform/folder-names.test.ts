import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folderNames } from './folder-names.ts'

const named = (...folders: string[]): string[] => [...folderNames(new Set(folders)).values()]

test('only as much of a path as tells it from the others', () => {
  expect(named('/src/shop', '/src/app')).toEqual(['shop', 'app'])
  expect(named('~/code/shop', '~/shop', '/srv/shop', '/src/app')).toEqual(['code/shop', '~/shop', 'srv/shop', 'app'])
  expect(named('/a/x/shop', '/b/x/shop', '/shop', '/')).toEqual(['a/x/shop', 'b/x/shop', 'shop', ''])
  expect(named('/a/shop', '/a/shop/')).toEqual(['a/shop', 'a/shop'])
})

test('different folders have different names', () => {
  const folder = fc.array(fc.constantFrom('a', 'b', 'shop'), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`)
  fc.assert(
    fc.property(fc.uniqueArray(folder), (folders) => {
      const names = named(...folders)
      expect(new Set(names).size).toBe(folders.length)
      for (const [index, name] of names.entries()) expect(folders[index]).toMatch(new RegExp(`(^|/)${name}$`))
    }),
  )
})
