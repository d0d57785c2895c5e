import { expect, test } from 'vitest'
import { viewCall } from './call-view.ts'
import { relativePaths } from './relative-paths.ts'

test.each([
  ['/home/dev/shop/src/a.ts', 'src/a.ts'],
  ['cd /home/dev/shop && cat "/home/dev/shop/a b.txt" --out=/home/dev/shop/b', 'cd . && cat "a b.txt" --out=b'],
  ['ls /home/dev/shop/ /home/dev/shop', 'ls . .'],
  ['/home/dev/shop/../other', '../other'],
  ['/home/dev/shopping/a.ts', '/home/dev/shopping/a.ts'],
  ['/mnt/home/dev/shop/a.ts file:///home/dev/shop/a.ts', '/mnt/home/dev/shop/a.ts file:///home/dev/shop/a.ts'],
])('paths relative to the project: %s', (text, expected) => {
  expect(relativePaths(text, '/home/dev/shop')).toBe(expected)
  expect(relativePaths(text, '/home/dev/shop/')).toBe(expected)
  expect(relativePaths(text, undefined)).toBe(text)
})

test('a root or empty project and special characters in its name do no harm; backslashes are separators too', () => {
  expect(relativePaths('/a/b', '/')).toBe('/a/b')
  expect(relativePaths('/a/b', '')).toBe('/a/b')
  expect(relativePaths('/a+(b)/c', '/a+(b)')).toBe('c')
  expect(relativePaths('C:\\work\\shop\\src\\a.ts', 'C:\\work\\shop')).toBe('src\\a.ts')
})

const edit = { file_path: '/home/dev/shop/src/a.ts', old_string: 'a', new_string: 'b' }

test('an edit is its path and its diff, without arguments that say nothing', () => {
  const view = viewCall({ ...edit, replace_all: false, note: '', limit: null, lines: [] }, '/home/dev/shop')
  expect(view.summary).toBe('src/a.ts')
  expect(view.blocks.map(({ language }) => language)).toEqual(['diff'])
  expect(viewCall({ ...edit, replace_all: true }, '/home/dev/shop').blocks[0]).toEqual({
    language: 'json',
    text: '{\n  "replace_all": true\n}',
  })
})

test('without a diff all arguments are shown, with their paths relative', () => {
  const view = viewCall({ pattern: 'pay', path: '/home/dev/shop/src', hidden: false }, '/home/dev/shop')
  expect(view).toEqual({
    summary: 'pay',
    blocks: [{ language: 'json', text: '{\n  "path": "src",\n  "hidden": false\n}' }],
  })
})

test('a command in the project needs no change of folder in its line', () => {
  const view = viewCall({ command: 'cd /home/dev/shop && npm test' }, '/home/dev/shop')
  expect(view).toEqual({ summary: 'npm test', blocks: [{ language: 'sh', text: 'cd /home/dev/shop && npm test' }] })
})

test('a patch names its files relative to the project, and its content stays as it is', () => {
  const patch =
    '*** Begin Patch\n*** Update File: /home/dev/shop/a.ts\n@@\n-cd /home/dev/shop/x\n+cd /home/dev/shop/y\n'
  const [block] = viewCall({ input: patch }, '/home/dev/shop').blocks
  expect(block).toEqual({
    language: 'diff',
    text: '*** Begin Patch\n*** Update File: a.ts\n@@\n-cd /home/dev/shop/x\n+cd /home/dev/shop/y\n',
  })
})
