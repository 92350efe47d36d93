// @ts-check
import { parseNobody } from './unprivileged.mjs';

test('nobody has the ids that the system gives it', () => {
  const passwd =
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:99:98:nobody:/nonexistent:/usr/sbin/nologin\n';
  expect(parseNobody(passwd)).toEqual({ uid: 99, gid: 98 });
});

test('a system without nobody gets the usual ids', () => {
  expect(parseNobody('root:x:0:0:root:/root:/bin/sh\n')).toEqual({ uid: 65534, gid: 65534 });
});
