/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include "core/base/buf.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

#include <cmocka.h>

static void empty(void **state)
{
	struct buf buf = BUF_INIT;
	char *s;

	(void)state;
	assert_string_equal(buf.data, "");
	buf_clear(&buf);
	buf_truncate(&buf, 0);
	buf_consume(&buf, 5);
	buf_add(&buf, NULL, 0);
	buf_adds(&buf, "");
	assert_int_equal(buf.cap, 0); /* nothing wrote to the shared empty string */
	buf_release(&buf);
	buf_release(&buf);
	s = buf_steal(&buf);
	assert_string_equal(s, "");
	free(s);
}

static void adding(void **state)
{
	struct buf buf = BUF_INIT;
	char *s;

	(void)state;
	buf_adds(&buf, "ab");
	buf_addc(&buf, 'c');
	buf_add(&buf, "\0d", 2);
	buf_addf(&buf, "%d%s", 12, "x");
	assert_int_equal(buf.len, 8);
	assert_memory_equal(buf.data, "abc\0d12x", 9);
	buf_consume(&buf, 4);
	assert_string_equal(buf.data, "d12x");
	buf_truncate(&buf, 2);
	assert_string_equal(buf.data, "d1");
	buf_truncate(&buf, 10); /* not longer */
	assert_int_equal(buf.len, 2);
	buf_consume(&buf, 10);
	assert_int_equal(buf.len, 0);
	buf_adds(&buf, "own");
	s = buf_steal(&buf);
	assert_string_equal(s, "own");
	assert_string_equal(buf.data, "");
	free(s);
}

static void growing(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		buf_addc(&buf, (char)('a' + i % 26));
		assert_int_equal(buf.data[buf.len], '\0');
	}
	assert_int_equal(buf.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(buf.data[i], 'a' + i % 26);
	buf_reserve(&buf, 1000000);
	assert_true(buf.cap > 1100000);
	buf_release(&buf);
}

static void vectors(void **state)
{
	VEC(struct {
		int a;
		char *b;
	}) v = VEC_INIT;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		assert_null(vec_push(&v)->b); /* zeroed */
		v.items[i].a = i;
		v.items[i].b = (char *)&v;
	}
	assert_int_equal(v.n, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v.items[i].a, i);
	vec_release(&v);
	assert_null(v.items);
	assert_int_equal(v.n, 0);
}

static void steals(void **state)
{
	AUTOFREE char *a = xstrdup("text");
	char *b = STEAL(a);

	(void)state;
	assert_null(a);
	assert_string_equal(b, "text");
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(adding),
		cmocka_unit_test(growing),
		cmocka_unit_test(vectors),
		cmocka_unit_test(steals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
