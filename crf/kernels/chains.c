/* log Z, -log p(tags), expected counts, best paths and samples of a batch of linear chains.

   As many chains as a vector has LANES go together, one to a lane, so that a step of a recursion
   multiplies their columns with one matrix. The sums are those of the forward-backward algorithm in
   scaled probability space (Rabiner 1989, section V.A):

       a_1(j) = start(j) e_1(j) / c_1          a_t(j) = e_t(j) sum_i a_(t-1)(i) A(i, j) / c_t
       b_m(j) = end(j) / sum_j a_m(j) end(j)   b_(t-1)(i) = sum_j A(i, j) e_t(j) b_t(j) / c_t

   with A, e, start, end the exponentials of the scores less their maximum, which is added to log Z,
   and c_t such that a column adds up to 1. Then p(y_t = j) = a_t(j) b_t(j) and
   p(y_(t-1) = i, y_t = j) = a_(t-1)(i) A(i, j) u_t(j), where u_t(j) = e_t(j) b_t(j) / c_t.

   A score more than 230 below its maximum counts as forbidden: its exponential is 0. The paths that
   use one are at most S^m of weight exp(the highest such score) each. Where that is less than
   NEGLIGIBLE of all other paths, the sums are exact to the last bit of a double without them. Where
   it is not, and where a sum other than 0 falls below SMALLEST of its column, the chain is marked
   OUT_OF_RANGE. So a product of any three numbers is a normal number.

   Where each chain, or each of its steps, has transitions of its own, and where chains are fewer
   than lanes, one chain is computed at a time, with its tags in the lanes. Where at most a quarter
   of the shared transitions are possible, sums and maxima go over these alone.

   Groups of chains, the longest first, are dealt to BLOCKS blocks, each with sums of its own that
   are added up in order at the end. A thread that is free takes the next block: neither the number
   of threads nor their pace changes a bit. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#elif defined(__GNUC__)
#define MIX(a, b, ...) __builtin_shuffle(a, b, (Whole){__VA_ARGS__})
#else
#error "needs the vector extensions of GCC or Clang; the plain code serves without this file"
#endif
#define INLINE static inline __attribute__((always_inline))

#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif
enum { BLOCKS = 16, CHUNK = 8, MOST_LEFT = 64 << 20, MOST_KEPT = 1 << 20 };
enum { BAD_SCORE = 1, BAD_TAG = 2, NO_PATH = 4, OUT_OF_RANGE = 8, FAILED = 16 }; /* of a chain */

#define SMALLEST 1e-100
#define LOWEST (-230.0) /* a little more than log(SMALLEST) */
#define NEGLIGIBLE 40.0 /* -log of a share that no double sees */

typedef double Real __attribute__((vector_size(8 * LANES)));
typedef int64_t Whole __attribute__((vector_size(8 * LANES)));
typedef uint64_t Bits __attribute__((vector_size(8 * LANES)));
typedef float Single __attribute__((vector_size(4 * LANES)));

/* One question about B chains of L cells and S tags. Tables lie in row-major order; scores and
   gradients are doubles if wide, else floats. crf/kernels/__init__.py packs the same fields. */
typedef struct {
    const void *emissions, *transitions, *start, *end; /* [B, L, S], [S, S], [S], [S] */
                                                       /* transitions [B, own, S, S] if own >= 0 */
    const uint8_t *mask;                               /* [B, L], or NULL: all are tokens */
    const int64_t *tags;                               /* [B, L], or NULL: log Z is asked for */
    const double *weights;                             /* [B], or NULL: all 1 */
    double *values;                                    /* [B] log Z, or -log p(tags) */
    uint8_t *states;                                   /* [B] what is wrong with each chain */
    double *sums; /* [BLOCKS, S + 1, S + 1] scratch; NULL: best paths are asked for */
    void *total;  /* sum of scale * weights * values */
    void *d_emissions, *d_transitions, *d_start, *d_end; /* its gradients, or NULL */
    double *each;    /* [B, S, S] instead of d_transitions: those of each chain */
    int64_t *paths;  /* [B, L] best paths; with tokens without gaps */
    int64_t *tokens; /* [B] how many, or NULL */
    void *scores;    /* [B] scores of the best paths, or NULL */
    const double *noise; /* [L, some, B, S] from Exp(1), last cell first: samples are asked for */
    int64_t B, L, S, wide, own; /* transitions of a chain: 1, or L - 1: one a step; -1: shared */
    int64_t some; /* so many samples, or best paths: [some, B, L], [B, some, L]; 0: neither */
    double scale;
} Call;

/* ---------------------------------------------------------------- vectors of doubles */

INLINE Real all(double x) { return x - (Real){0}; }
INLINE Real only(Whole which, Real a) { return (Real)((Whole)a & which); }
INLINE Real either(Whole which, Real a, Real b) {
    return (Real)((Whole)only(which, a) | (Whole)only(~which, b));
}
INLINE int any(Whole which) {
    for (int k = 1; k < LANES; k++) which[0] |= which[k];
    return which[0] != 0;
}
INLINE double add_up(Real x) {
    for (int half = LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) x[k] += x[k + half];
    return x[0];
}

/* The larger and the smaller of two, lane by lane: so written, compilers find the instruction. */
INLINE Real larger(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] > b[k] ? a[k] : b[k];
    return b;
}
INLINE Real smaller(Real a, Real b) {
    for (int k = 0; k < LANES; k++) b[k] = a[k] < b[k] ? a[k] : b[k];
    return b;
}

/* exp(x) for x <= 0; 0 below LOWEST. The series of |r| <= log(2) / 2 ends with r^12 / 12!. */
INLINE Real exponential(Real x) {
    const double shift = 0x1.8p52;
    Real n = x * 1.4426950408889634 + shift;
    Bits power = (Bits)n - (Bits)all(shift);
    n -= shift;
    Real r = x - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10;
    Real p = all(1.0 / 479001600);
    p = p * r + 1.0 / 39916800, p = p * r + 1.0 / 3628800, p = p * r + 1.0 / 362880;
    p = p * r + 1.0 / 40320, p = p * r + 1.0 / 5040, p = p * r + 1.0 / 720;
    p = p * r + 1.0 / 120, p = p * r + 1.0 / 24, p = p * r + 1.0 / 6;
    p = p * r + 0.5, p = p * r + 1.0, p = p * r + 1.0;
    return only(x >= LOWEST, (Real)((Bits)p + (power << 52)));
}

/* LANES rows of as many numbers: rows become columns, by exchanging blocks of twice the size. */
INLINE void transpose(Real r[LANES]) {
#define LIST(...) __VA_ARGS__
#define EXCHANGE(size, first, second) \
    for (int k = 0; k < LANES; k++) { \
        if (k & size) continue; \
        Real a = r[k], b = r[k + size]; \
        r[k] = MIX(a, b, first), r[k + size] = MIX(a, b, second); \
    }
#if LANES == 8
    EXCHANGE(1, LIST(0, 8, 2, 10, 4, 12, 6, 14), LIST(1, 9, 3, 11, 5, 13, 7, 15))
    EXCHANGE(2, LIST(0, 1, 8, 9, 4, 5, 12, 13), LIST(2, 3, 10, 11, 6, 7, 14, 15))
    EXCHANGE(4, LIST(0, 1, 2, 3, 8, 9, 10, 11), LIST(4, 5, 6, 7, 12, 13, 14, 15))
#elif LANES == 4
    EXCHANGE(1, LIST(0, 4, 2, 6), LIST(1, 5, 3, 7))
    EXCHANGE(2, LIST(0, 1, 4, 5), LIST(2, 3, 6, 7))
#else
    EXCHANGE(1, LIST(0, 2), LIST(1, 3))
#endif
}

/* Number k of a table, LANES numbers from there on, and the same the other way. */
INLINE double one(const void *from, int64_t k, int wide) {
    return wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}
INLINE Real some(const void *from, int64_t k, int wide) {
    Real x;
    Single y;
    if (wide) return memcpy(&x, (const double *)from + k, sizeof x), x;
    return memcpy(&y, (const float *)from + k, sizeof y), __builtin_convertvector(y, Real);
}
INLINE void put(void *to, int64_t k, double x, int wide) {
    if (wide) ((double *)to)[k] = x;
    else ((float *)to)[k] = (float)x;
}
INLINE void put_some(void *to, int64_t k, Real x, int wide) {
    Single y = __builtin_convertvector(x, Single);
    if (wide) memcpy((double *)to + k, &x, sizeof x);
    else memcpy((float *)to + k, &y, sizeof y);
}

/* ---------------------------------------------------------------- chains in lanes */

/* The shared scores in one table of W = S + 1 rows: row S has start, column S end. */
typedef struct {
    double *scores, *matrix, *turned; /* as given; for sums their exponentials; these transposed */
    double added, lost;               /* what was taken from all; the highest score left out */
    int64_t *order, *lengths;         /* the chains, the longest first; their numbers of tokens */
    int32_t *into, *outof;            /* if sparse: what is possible in each column, see list_of */
    int bad, sparse, single; /* a score is nan or +infinity; lists are used; one chain at a time */
} Tables;

/* LANES chains: lane l has chain rows[l] with lengths[l] tokens, at cells[l * L + k]. */
typedef struct {
    int64_t rows[LANES], most, S, L, W;
    int chains, states; /* how many there are, and what is wrong with any of all so far */
    int32_t *cells;
    Whole lengths, bad, low; /* lanes with nan or +infinity, lanes out of range */
    Real lost;               /* the highest emission left out, less its token's maximum */
    int64_t before[LANES];   /* the tag of the last token; S: none; -1: out of range */
    double gold[LANES];      /* what the scores of the tags fall short of the maxima */
    int read;                /* whether the one table of one chain has been read; its maximum */
    double read_top;
} Group;

INLINE int64_t at(const Group *g, int l, int64_t k) { /* of token k: its place in [B, L] */
    return g->rows[l] * g->L + g->cells[l * g->L + k];
}

/* For each column of a matrix, where its rows end in the list behind: those that are possible. */
INLINE void list_of(const double *matrix, int32_t *ends, int64_t S, const int sums) {
    int32_t *rows = ends + S + 1, n = 0;
    ends[0] = 0;
    for (int64_t j = 0; j < S; ends[++j] = n)
        for (int64_t i = 0; i < S; i++)
            if (matrix[i * (S + 1) + j] != (sums ? 0.0 : -INFINITY)) rows[n++] = (int32_t)i;
}

/* Copy the shared scores, find their exponentials if sums are asked for, and put the chains in
   order, the longest first. */
INLINE void prepare(const Call *call, Tables *t, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, W = S + 1, *counts = t->lengths + B;
    int wide = (int)call->wide, own = call->own >= 0;
    double top = -INFINITY, nothing = sums ? 0.0 : -INFINITY;
    t->bad = 0, t->lost = -INFINITY;
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) {
            double x = i < S && j < S ? own ? -INFINITY : one(call->transitions, i * S + j, wide)
                       : i < S        ? one(call->end, i, wide)
                       : j < S        ? one(call->start, j, wide) : -INFINITY;
            t->scores[i * W + j] = x, t->bad |= !(x < INFINITY), top = x > top ? x : top;
        }
    t->added = sums && top > -INFINITY ? top : 0.0;
    int64_t possible = 0, vectors = (S + LANES - 1) / LANES;
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) {
            double x = t->scores[i * W + j] - t->added;
            if (sums && x < LOWEST) t->lost = x > t->lost ? x : t->lost, x = -INFINITY;
            x = sums ? exp(x) : x;
            t->matrix[i * W + j] = t->turned[j * W + i] = x;
            possible += i < S && j < S && x != nothing;
        }
    t->sparse = !own && S >= 16 && possible <= S * S / 4; /* a short row is as quick as its list */
    t->single = own || call->some || 3 * B * S * vectors <= (t->sparse ? possible : S * S);
    if (t->sparse) list_of(t->matrix, t->into, S, sums), list_of(t->turned, t->outof, S, sums);
    memset(counts, 0, (L + 2) * sizeof *counts);
    for (int64_t b = 0; b < B; b++) {
        int64_t m = call->mask ? 0 : L;
        for (int64_t k = 0; call->mask && k < L; k++) m += call->mask[b * L + k] != 0;
        t->lengths[b] = m, counts[L - m + 1]++;
    }
    for (int64_t m = 0; m <= L; m++) counts[m + 1] += counts[m];
    for (int64_t b = 0; b < B; b++) t->order[counts[L - t->lengths[b]]++] = b;
}

/* The chains of one group; lanes without a chain have length 0 and repeat the first one's cells. */
INLINE void gather(const Call *call, const Tables *t, int64_t first, Group *g) {
    g->most = t->lengths[t->order[first]], g->S = call->S, g->L = call->L, g->W = call->S + 1;
    int lanes = t->single ? 1 : LANES;
    g->chains = call->B - first < lanes ? (int)(call->B - first) : lanes;
    g->lengths = (Whole){0};
    g->bad = g->low = (Whole){0}, g->lost = all(-INFINITY), g->read = 0;
    size_t size = (call->wide ? sizeof(double) : sizeof(float)) * g->S;
    for (int l = 0; l < lanes; l++) {
        int there = l < g->chains;
        int64_t row = t->order[there ? first + l : first], m = 0;
        int32_t *cells = g->cells + l * g->L;
        for (int64_t k = 0; k < g->L; k++)
            if (!call->mask || call->mask[row * g->L + k]) cells[m++] = (int32_t)k;
            else if (call->d_emissions)
                memset((char *)call->d_emissions + (row * g->L + k) * size, 0, size);
        memset(cells + m, 0, (g->most > m ? g->most - m : 0) * sizeof *cells);
        g->rows[l] = row, g->lengths[l] = there ? m : 0, g->before[l] = g->S, g->gold[l] = 0.0;
    }
}

/* The emissions of token k of each chain into a column [S], and their maximum. */
INLINE Real emissions_of(const Call *call, Group *g, int64_t k, Real *column) {
    int64_t from[LANES], S = g->S, s = 0;
    int wide = (int)call->wide;
    for (int l = 0; l < LANES; l++) {
        from[l] = at(g, l, k) * S;
        const char *soon = (const char *)call->emissions + ((from[l] + 8 * S) << (wide ? 3 : 2));
        __builtin_prefetch(soon), __builtin_prefetch(soon + 64);
    }
    for (; s + LANES <= S; s += LANES) {
        for (int l = 0; l < LANES; l++) column[s + l] = some(call->emissions, from[l] + s, wide);
        transpose(column + s);
    }
    for (; s < S; s++)
        for (int l = 0; l < LANES; l++) column[s][l] = one(call->emissions, from[l] + s, wide);
    Real top = all(-INFINITY);
    Whole fine = ~(Whole){0};
    for (s = 0; s < S; s++) fine &= column[s] < INFINITY, top = larger(top, column[s]);
    g->bad |= ~fine & (k < g->lengths);
    return either(top > -INFINITY, top, all(0.0));
}

/* Some columns j: the MOST of x(i) + matrix(i, j), the SUM of x(i) matrix(i, j) or, added to y,
   PAIRS: the sum of x_k u_k(j) over tokens k, with x and u [tokens, S]. */
enum { MOST, SUM, PAIRS };
INLINE void columns(const Real *x, const double *matrix, const Real *u, Real *y, int64_t S,
                    int64_t rows, const int n, const int kind) {
    Real found[6];
    for (int j = 0; j < n; j++) found[j] = kind == PAIRS ? y[j] : all(kind ? 0.0 : -INFINITY);
    for (int64_t i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            if (kind == PAIRS) found[j] += x[i * S] * u[i * S + j];
            else if (kind == SUM) found[j] += x[i] * matrix[i * (S + 1) + j];
            else found[j] = larger(x[i] + matrix[i * (S + 1) + j], found[j]);
    for (int j = 0; j < n; j++) y[j] = found[j];
}
INLINE void product(const Real *x, const double *matrix, const Real *u, Real *y, int64_t S,
                    int64_t rows, const int kind) {
    for (int64_t j = 0, n, parts = (S + 5) / 6; parts; parts--, j += n) {
        n = (S - j + parts - 1) / parts; /* as even as can be */
#define COLUMNS(n) case n: columns(x, matrix + j, u + j, y + j, S, rows, n, kind); break;
        switch (n) { COLUMNS(1) COLUMNS(2) COLUMNS(3) COLUMNS(4) COLUMNS(5) COLUMNS(6) }
    }
}

/* `product` over lists of what is possible: of each column its rows, and for PAIRS, with row i at x
   and y, the columns of row i. */
INLINE void listed(const Real *x, const double *matrix, const int32_t *ends, const Real *u, Real *y,
                   int64_t S, int64_t rows, int64_t i, const int kind) {
    const int32_t *list = ends + S + 1;
    for (int32_t q = ends[i]; kind == PAIRS && q < ends[i + 1]; q++) {
        Real found = y[list[q]];
        for (int64_t k = 0; k < rows; k++) found += x[k * S] * u[k * S + list[q]];
        y[list[q]] = found;
    }
    for (int64_t j = 0; kind != PAIRS && j < S; j++) {
        Real found = all(kind ? 0.0 : -INFINITY);
        for (int32_t q = ends[j]; q < ends[j + 1]; q++) {
            double score = matrix[list[q] * (S + 1) + j];
            if (kind == SUM) found += x[list[q]] * score;
            else found = larger(x[list[q]] + score, found);
        }
        y[j] = found;
    }
}

/* ---------------------------------------------------------------- one chain, its tags in lanes */

/* LANES numbers of doubles that need not be aligned. */
INLINE Real lanes_at(const double *from) {
    Real x;
    return memcpy(&x, from, sizeof x), x;
}

/* n scores from number k of a table on, as doubles, -infinity up to a whole vector behind them;
   whether one is nan or +infinity. The highest goes to top. */
INLINE int read_scores(const void *table, int64_t k, int64_t n, int wide, Real *to, double *top) {
    Real most = all(-INFINITY);
    Whole fine = ~(Whole){0};
    for (int64_t v = 0; v * LANES < n; v++) {
        Real x = all(-INFINITY);
        if ((v + 1) * LANES <= n) x = some(table, k + v * LANES, wide);
        else
            for (int l = 0; v * LANES + l < n; l++) x[l] = one(table, k + v * LANES + l, wide);
        fine &= x < INFINITY, most = larger(x, most), to[v] = x;
    }
    *top = most[0];
    for (int l = 1; l < LANES; l++) *top = most[l] > *top ? most[l] : *top;
    if (!(*top > -INFINITY)) *top = 0.0;
    return any(~fine);
}

/* Where the transitions into token k of a group's one chain lie, if they are its own. */
INLINE int64_t own_table(const Call *call, const Group *g, int64_t k) {
    int64_t step = call->own == 1 ? 0 : g->cells[k] - 1;
    return (g->rows[0] * call->own + step) * g->S * g->S;
}

/* The transitions into token k of a group's one chain, rows of S numbers, or of S + 1 if they are
   shared; for sums their exponentials, less the maximum, which goes to top. */
INLINE const double *arriving(const Call *call, const Tables *t, Group *g, int64_t k, Real *to,
                              double *top, const int sums) {
    int64_t n = g->S * g->S;
    if (call->own < 0) return t->matrix;
    if (call->own == 1 && g->read) return *top = g->read_top, (const double *)to;
    if (read_scores(call->transitions, own_table(call, g, k), n, (int)call->wide, to, top))
        g->bad[0] = -1;
    Real lost = all(-INFINITY);
    for (int64_t v = 0; sums && v * LANES < n; v++) {
        Real x = to[v] - *top;
        lost = either(x < LOWEST, larger(x, lost), lost), to[v] = exponential(x);
    }
    for (int l = 0; l < LANES; l++) g->lost[0] = lost[l] > g->lost[0] ? lost[l] : g->lost[0];
    g->read = 1, g->read_top = *top;
    return (const double *)to;
}

/* A column of one chain times a matrix: the MOST of x(i) + matrix(i, j), or the SUM of
   x(i) matrix(i, j), V vectors of columns j, some rows at a time. */
INLINE void add_rows(const double *x, const double *matrix, int64_t W, Real *y, int64_t V,
                     const int n, const int kind) {
    for (int64_t v = 0; v < V; v++) {
        Real found = y[v];
        for (int i = 0; i < n; i++) {
            Real row = lanes_at(matrix + i * W + v * LANES);
            found = kind == SUM ? found + x[i] * row : larger(x[i] + row, found);
        }
        y[v] = found;
    }
}
INLINE void across(const double *x, const double *matrix, int64_t W, Real *y, int64_t S, int64_t V,
                   const int kind) {
    int64_t i = 0;
    for (int64_t v = 0; v < V; v++) y[v] = all(kind == SUM ? 0.0 : -INFINITY);
    for (; i + 4 <= S; i += 4) add_rows(x + i, matrix + i * W, W, y, V, 4, kind);
    for (; i < S; i++) add_rows(x + i, matrix + i * W, W, y, V, 1, kind);
}

/* Some rows i of the transposed product, y(i) = the sum of matrix(i, j) x(j); its terms times
   weights(i) go to pairs, rows of V vectors, if there are any. */
INLINE void sum_rows(const double *matrix, int64_t W, const Real *x, double *y, int64_t V,
                     const double *weights, Real *pairs, const int n) {
    Real found[4] = {{0}};
    for (int64_t v = 0; v < V; v++)
        for (int i = 0; i < n; i++) {
            Real term = lanes_at(matrix + i * W + v * LANES) * x[v];
            found[i] += term;
            if (pairs) pairs[i * V + v] = weights[i] * term;
        }
    for (int i = 0; i < n; i++) y[i] = add_up(found[i]);
}
INLINE void back_across(const double *matrix, int64_t W, const Real *x, double *y, int64_t S,
                        int64_t V, const double *weights, Real *pairs) {
    int64_t i = 0;
#define ROWS(n) \
    sum_rows(matrix + i * W, W, x, y + i, V, weights + i, pairs ? pairs + i * V : pairs, n)
    for (; i + 4 <= S; i += 4) ROWS(4);
    for (; i < S; i++) ROWS(1);
}

/* S rows of S numbers to a table, from rows of V vectors; of doubles if wide. */
INLINE void write_rows(void *table, int64_t k, const Real *rows, int64_t S, int64_t V, int wide) {
    const double *numbers = (const double *)rows;
    for (int64_t i = 0; i < S; i++)
        for (int64_t j = 0; j < S; j += LANES)
            if (i * S + j + LANES <= S * S) /* the next row covers what is behind this one */
                put_some(table, k + i * S + j, rows[i * V + j / LANES], wide);
            else
                for (int64_t q = j; q < S; q++)
                    put(table, k + i * S + q, numbers[i * V * LANES + q], wide);
}

/* ---------------------------------------------------------------- log Z and expected counts */

/* One token's gradients, a column [S] of all lanes, to their rows of d_emissions. */
INLINE void scatter(const Call *call, const Group *g, int64_t k, const Real *column) {
    int64_t S = g->S, s = 0;
    int wide = (int)call->wide;
    for (; s + LANES <= S; s += LANES) {
        Real r[LANES];
        memcpy(r, column + s, sizeof r);
        transpose(r);
        for (int l = 0; l < LANES; l++)
            if (k < g->lengths[l]) put_some(call->d_emissions, at(g, l, k) * S + s, r[l], wide);
    }
    for (int l = 0; l < LANES; l++)
        for (int64_t q = s; q < S && k < g->lengths[l]; q++)
            put(call->d_emissions, at(g, l, k) * S + q, column[q][l], wide);
}

/* Add what the scores of token k's tags lack. */
INLINE void follow(const Call *call, const Tables *t, Group *g, int64_t k, Real top,
                   const Real *column) {
    for (int l = 0; l < g->chains; l++) {
        int64_t from = g->before[l], tag = k < g->lengths[l] ? call->tags[at(g, l, k)] : 0;
        if (k >= g->lengths[l] || from < 0) continue;
        g->before[l] = tag >= 0 && tag < g->S ? tag : -1;
        if (g->before[l] < 0) continue;
        g->gold[l] += (top[l] - column[tag][l]) + (t->added - t->scores[from * g->W + tag]);
        if (k + 1 == g->lengths[l]) g->gold[l] += t->added - t->scores[tag * g->W + g->S];
    }
}

/* Take the tags of token k, which count as often as weights say, from its gradients. */
INLINE void observe(const Call *call, const Tables *t, const Group *g, int64_t k,
                    const double *weights, Real *column, double *sums) {
    int64_t S = g->S, W = g->W;
    for (int l = 0; l < g->chains; l++) {
        if (k >= g->lengths[l] || weights[l] == 0.0) continue;
        int64_t cell = at(g, l, k), tag = call->tags[cell], end = tag * W + S;
        int64_t pair = (k ? call->tags[at(g, l, k - 1)] : S) * W + tag;
        double score = one(call->emissions, cell * S + tag, (int)call->wide);
        if (score > -INFINITY) column[tag][l] -= weights[l];
        if (t->scores[pair] > -INFINITY) sums[pair] -= weights[l];
        if (k + 1 == g->lengths[l] && t->scores[end] > -INFINITY) sums[end] -= weights[l];
    }
}

/* The same for one chain; what its own transitions get is done elsewhere. */
INLINE void observe_one(const Call *call, const Tables *t, const Group *g, int64_t k, double weight,
                        double *column, double *sums) {
    int64_t S = g->S, W = g->W, cell = at(g, 0, k);
    if (weight == 0.0) return;
    int64_t tag = call->tags[cell], from = k ? call->tags[at(g, 0, k - 1)] : S;
    if (one(call->emissions, cell * S + tag, (int)call->wide) > -INFINITY) column[tag] -= weight;
    if (t->scores[from * W + tag] > -INFINITY) sums[from * W + tag] -= weight;
    if (k + 1 == g->most && t->scores[tag * W + S] > -INFINITY) sums[tag * W + S] -= weight;
}

/* What the chains of a group are worth, from their final sums, of which `scaled` and `powers` hold
   the scale, and from the maxima; what each counts for, and that over its sum: nan if it is bad. */
INLINE Real settle(const Call *call, const Tables *t, Group *g, Real final, Real scaled,
                   Whole powers, Real logs, double *weights) {
    Real factor = {0};
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], m = g->lengths[l];
        double weight = (call->weights ? call->weights[row] : 1.0) * call->scale;
        double lost = g->lost[l] > t->lost ? g->lost[l] : t->lost;
        double value = log(final[l]) + log(scaled[l]) + powers[l] * 0.69314718055994530942;
        int state = g->before[l] < 0 ? BAD_TAG : 0;
        if (t->bad || g->bad[l]) state |= BAD_SCORE;
        if (g->low[l] || (lost > -INFINITY && !(value >= lost + m * log((double)g->S) + NEGLIGIBLE)))
            state |= OUT_OF_RANGE;
        if (!state && !(final[l] > 0.0)) state = NO_PATH;
        value += call->tags ? g->gold[l] : logs[l] + t->added * (call->own < 0 ? m + 1 : 2);
        if (!m) state = 0, value = 0.0;
        if (state == NO_PATH) value = call->tags ? INFINITY : -INFINITY;
        if (state & (BAD_SCORE | BAD_TAG)) value = NAN;
        if (call->tags && value < 0.0) value = 0.0;
        if (value == INFINITY) state |= NO_PATH;
        call->values[row] = value, call->states[row] = (uint8_t)state, g->states |= state;
        if (weight == 0.0 || !m) continue;
        if (!state) weights[l] = weight, factor[l] = weight / final[l];
        if (value != value) factor[l] = NAN;
    }
    return factor;
}

/* What the group's chains are worth, and their gradients: those of shared scores go to sums. */
INLINE void sums_of(const Call *call, const Tables *t, Group *g, Real *work, double *sums) {
    int64_t S = g->S, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *a = work, *u = a + K * S, *beta = u + K * S, *column = beta + S, *scales = column + S + 8;
    Real *counts = scales + K + 1;
    Real logs = {0}, scaled = all(1.0), final = {0}, none = {0};
    Whole powers = {0};

    for (int64_t k = 0; k < K; k++) { /* forward */
        Whole inside = k < g->lengths, last = k + 1 == g->lengths;
        Real top = emissions_of(call, g, k, column), scale = none, *now = a + k * S;
        if (k && t->sparse) listed(now - S, t->matrix, t->into, now, now, S, S, 0, SUM);
        else if (k) product(now - S, t->matrix, now, now, S, S, SUM);
        if (call->tags) follow(call, t, g, k, top, column);
        Real least = all(1.0), lowest = none;
        for (int64_t s = 0; s < S; s++) {
            Real x = column[s] - top, e = only(inside, exponential(x));
            lowest = smaller(x, lowest);
            u[k * S + s] = e;
            Real value = k ? now[s] * e : start[s] * e;
            now[s] = value;
            scale += value;
            least = smaller(value, least);
        }
        int out = any((lowest < LOWEST) | (least < SMALLEST * scale));
        for (int64_t s = 0; s < S && out; s++) { /* what is left out, and who has too small a sum */
            Real x = column[s] - top;
            g->lost = either(inside & (x < LOWEST), larger(x, g->lost), g->lost);
            g->low |= inside & (now[s] < SMALLEST * scale) & (now[s] > 0.0);
        }
        Real inverse = either(scale > 1e-300, 1.0 / scale, none);
        for (int64_t s = 0; s < S; s++) now[s] *= inverse;
        scales[k] = inverse;
        scaled *= either(inside, scale, all(1.0));
        powers += (((Whole)scaled >> 52) & 2047) - 1023;
        scaled = (Real)(((Whole)scaled & 0xfffffffffffff) | (Whole)all(1.0));
        logs += only(inside, top);
        for (int64_t s = 0; s < S && any(last); s++) final += only(last, now[s] * end[s]);
    }

    double weights[LANES] = {0};
    Real factor = settle(call, t, g, final, scaled, powers, logs, weights);
    if (!call->d_start) return;

    Whole counted = (factor != 0.0) & (factor == factor); /* others get 0, or nan */
    memset(beta, 0, S * sizeof *beta);
    memset(counts, 0, S * S * sizeof *counts);
    for (int64_t k = K - 1; k >= 0; k--) { /* backward */
        Whole last = k + 1 == g->lengths;
        Real *now = a + k * S, *next = u + k * S;
        int ends = any(last);
        for (int64_t s = 0; s < S; s++) {
            if (ends) beta[s] = either(last, factor * end[s], beta[s]);
            column[s] = either(counted, now[s] * beta[s], factor);
            if (ends) sums[s * W + S] += add_up(only(last, column[s]));
            if (!k) sums[S * W + s] += add_up(column[s]);
            next[s] = next[s] * beta[s] * scales[k];
        }
        if (call->tags) observe(call, t, g, k, weights, column, sums);
        scatter(call, g, k, column);
        if (!k) break;
        int64_t ready = (K - k) % CHUNK;
        if (!ready) ready = CHUNK;
        for (int64_t i = 0; i < S && (ready == CHUNK || k == 1); i++)
            if (t->sparse)
                listed(now - S + i, NULL, t->outof, next, counts + i * S, S, ready, i, PAIRS);
            else product(now - S + i, t->matrix, next, counts + i * S, S, ready, PAIRS);
        if (t->sparse) listed(next, t->turned, t->outof, next, beta, S, S, 0, SUM);
        else product(next, t->turned, next, beta, S, S, SUM);
        for (int64_t s = 0; s < S; s++) beta[s] = only(now[s - S] != 0.0, beta[s]);
    }
    for (int64_t k = 0; k < S * S; k++) {
        int64_t pair = k / S * W + k % S;
        Real x = either(counted, counts[k] * t->matrix[pair], factor);
        if (!call->each) sums[pair] += add_up(x);
        for (int l = 0; l < g->chains && call->each; l++) call->each[g->rows[l] * S * S + k] = x[l];
    }
}

/* Add what the scores of token k's tags lack, in one chain whose table had a maximum `most`. */
INLINE void follow_one(const Call *call, const Tables *t, Group *g, int64_t k, double top,
                       double most, const double *column) {
    int64_t from = g->before[0], tag = call->tags[at(g, 0, k)], S = g->S, W = g->W;
    if (from < 0) return;
    g->before[0] = tag = tag >= 0 && tag < S ? tag : -1;
    if (tag < 0) return;
    double short_of = t->added - t->scores[from * W + tag];
    if (k && call->own >= 0)
        short_of = most - one(call->transitions, own_table(call, g, k) + from * S + tag,
                              (int)call->wide);
    g->gold[0] += (top - column[tag]) + short_of;
    if (k + 1 == g->most) g->gold[0] += t->added - t->scores[tag * W + S];
}

/* Write nothing but 0 where no gradient of a chain's own transitions will be written. */
INLINE void clear_own(const Call *call, const Group *g) {
    size_t n = g->S * g->S * (call->wide ? sizeof(double) : sizeof(float));
    char *tables = (char *)call->d_transitions + g->rows[0] * call->own * n;
    for (int64_t c = 0, k = 0; c < g->L; c++) {
        int inside = k < g->most && g->cells[k] == c;
        if (c && c <= call->own && (call->own == 1 ? g->most < 2 : !inside || !k))
            memset(tables + (c - 1) * n, 0, n);
        k += inside;
    }
    if (g->L < 2 && call->own == 1) memset(tables, 0, n);
}

/* The gradients of a chain's own transitions: pairs [S, V vectors], less what the tags use. */
INLINE void own_gradients(const Call *call, const Group *g, int64_t first, int64_t last,
                          Real *pairs, int64_t V, double weight) {
    int64_t S = g->S, table = own_table(call, g, first);
    for (int64_t k = first; k <= last && call->tags && weight != 0.0; k++) {
        int64_t from = call->tags[at(g, 0, k - 1)], tag = call->tags[at(g, 0, k)];
        if (one(call->transitions, table + from * S + tag, (int)call->wide) > -INFINITY)
            ((double *)pairs)[from * V * LANES + tag] -= weight;
    }
    write_rows(call->d_transitions, table, pairs, S, V, (int)call->wide);
}

/* Samples of one chain from its columns a: exponential noise makes the place of the largest
   quotient a random one, with probabilities as the numerators (the Gumbel-max trick). */
INLINE void draw(const Call *call, const Tables *t, Group *g, const Real *a, const Real *end,
                 Real *table) {
    int64_t S = g->S, L = g->L, K = g->most, V = (S + LANES - 1) / LANES, n = call->some;
    int64_t row = g->rows[0], own = call->own >= 0;
    double top;
    for (int64_t q = 0; q < n; q++)
        for (int64_t k = 0; k < L; k++) call->paths[(q * call->B + row) * L + k] = -1;
    for (int64_t k = K - 1; k >= 0; k--) {
        int64_t after = k + 1 < K ? g->cells[k + 1] : L;
        const double *weights = (const double *)(a + k * V), *ends = (const double *)end;
        const double *matrix = k + 1 < K ? arriving(call, t, g, k + 1, table, &top, 1) : NULL;
        for (int64_t q = 0; q < n; q++) {
            int64_t *path = call->paths + (q * call->B + row) * L, tag = 0;
            const double *noise = call->noise + (((L - after) * n + q) * call->B + row) * S;
            double most = -1.0;
            for (int64_t i = 0; i < S; i++) {
                double to = !matrix ? ends[i] : own ? matrix[i * S + path[after]]
                                                    : t->turned[path[after] * g->W + i];
                double x = weights[i] * to / noise[i];
                if (x > most) most = x, tag = i;
            }
            path[g->cells[k]] = tag;
        }
    }
}

/* Vectors of a step's exponentials that stay for the way back; 0: all steps' would not fit a cache,
   so that they are computed again. */
INLINE int64_t kept(const Call *call) {
    int64_t T = (call->S * call->S + LANES - 1) / LANES + 1, most = MOST_KEPT / sizeof(Real);
    return call->d_start && call->own > 1 && call->L * T <= most ? T : 0;
}

/* `sums_of` for one chain, its tags in the lanes. */
INLINE void sums_of_one(const Call *call, const Tables *t, Group *g, Real *work, double *sums) {
    int64_t S = g->S, W = g->W, K = g->most, V = (S + LANES - 1) / LANES, P = V * LANES;
    int64_t own = call->own, stride = own < 0 ? W : S;
    Real *a = work, *u = a + K * V, *beta = u + K * V, *column = beta + V, *start = column + V;
    Real *end = start + V, *counts = end + V, *table = counts + S * V;
    int64_t T = kept(call);
    double *scales = (double *)(table + S * V + 2 + T * K), *back = (double *)beta;
    double scaled = 1.0, final = 0.0, logs = 0.0, most = 0.0, top = 0.0;
    int64_t powers = 0;

    for (int64_t s = 0; s < P; s++) {
        ((double *)start)[s] = s < S ? t->matrix[S * W + s] : 0.0;
        ((double *)end)[s] = s < S ? t->turned[S * W + s] : 0.0;
    }
    for (int64_t k = 0; k < K; k++) { /* forward */
        Real *now = a + k * V, sum = {0}, least = all(INFINITY), lowest = {0}, *to = table + k * T;
        if (!k || T) to[(S * S + LANES - 1) / LANES] = (Real){0}; /* read with the last row */
        if (k) {
            const double *matrix = arriving(call, t, g, k, to, &most, 1);
            across((double *)(now - V), matrix, stride, now, S, V, SUM);
        }
        if (read_scores(call->emissions, at(g, 0, k) * S, S, (int)call->wide, column, &top))
            g->bad[0] = -1;
        if (call->tags) follow_one(call, t, g, k, top, most, (double *)column);
        for (int64_t v = 0; v < V; v++) {
            Real x = column[v] - top, e = exponential(x);
            lowest = smaller(either(x > -INFINITY, x, (Real){0}), lowest);
            u[k * V + v] = e;
            now[v] = (k ? now[v] : start[v]) * e;
            sum += now[v];
            least = smaller(either(now[v] > 0.0, now[v], all(INFINITY)), least);
        }
        double scale = add_up(sum);
        if (any((lowest < LOWEST) | (least < SMALLEST * scale)))
            for (int64_t s = 0; s < S; s++) { /* what is left out, and whether a sum is too small */
                double x = ((double *)column)[s] - top;
                if (x < LOWEST && x > g->lost[0]) g->lost[0] = x;
                double value = ((double *)now)[s];
                if (value < SMALLEST * scale && value > 0.0) g->low[0] = -1;
            }
        double inverse = scale > 1e-300 ? 1.0 / scale : 0.0;
        for (int64_t v = 0; v < V; v++) now[v] *= inverse;
        int power = 0;
        scales[k] = inverse, scaled = frexp(scaled * scale, &power), powers += power;
        logs += top + (own < 0 ? 0.0 : k ? most : 0.0);
        if (k + 1 < K) continue;
        sum = (Real){0};
        for (int64_t v = 0; v < V; v++) sum += now[v] * end[v];
        final = add_up(sum);
    }

    double weights[LANES] = {0};
    Real only_one = {0}, with_final = {0}, with_logs = {0};
    Whole with_powers = {0};
    only_one[0] = scaled, with_final[0] = final, with_logs[0] = logs, with_powers[0] = powers;
    double factor = settle(call, t, g, with_final, only_one, with_powers, with_logs, weights)[0];
    if (call->noise && !g->states) draw(call, t, g, a, end, table);
    if (!call->d_start) return;

    int counted = factor != 0.0 && factor == factor; /* others get 0, or nan */
    if (own >= 0) clear_own(call, g);
    memset(beta, 0, V * sizeof *beta);
    if (own < 0 || own == 1) memset(counts, 0, S * V * sizeof *counts);
    for (int64_t k = K - 1; k >= 0; k--) { /* backward */
        Real *now = a + k * V, *next = u + k * V;
        for (int64_t v = 0; v < V; v++) {
            if (k + 1 == K) beta[v] = factor * end[v];
            column[v] = counted ? now[v] * beta[v] : all(factor);
            next[v] = next[v] * beta[v] * scales[k];
        }
        for (int64_t s = 0; s < S; s++) {
            if (k + 1 == K) sums[s * W + S] += ((double *)column)[s];
            if (!k) sums[S * W + s] += ((double *)column)[s];
        }
        if (call->tags) observe_one(call, t, g, k, weights[0], (double *)column, sums);
        for (int64_t s = 0, place = at(g, 0, k) * S; s < S; s += LANES)
            if (s + LANES <= S)
                put_some(call->d_emissions, place + s, column[s / LANES], (int)call->wide);
            else
                for (int64_t q = s; q < S; q++)
                    put(call->d_emissions, place + q, ((double *)column)[q], (int)call->wide);
        if (!k) break;
        const double *before = (double *)(now - V);
        int each_step = own > 1 || (own == 1 && g->L == 2);
        int64_t ready = (K - k) % CHUNK ? (K - k) % CHUNK : CHUNK;
        const double *matrix = (const double *)(table + k * T);
        if (!T) matrix = arriving(call, t, g, k, table, &most, 1);
        back_across(matrix, stride, next, back, S, V, before, each_step ? counts : NULL);
        for (int64_t v = 0; v < V; v++) beta[v] = only((now - V)[v] != 0.0, beta[v]);
        if (each_step) {
            for (int64_t v = 0; v < S * V && !counted; v++) counts[v] = all(factor);
            own_gradients(call, g, k, k, counts, V, weights[0]);
        } else if (ready == CHUNK || k == 1)
            for (int64_t i = 0; i < S; i++)
                for (int64_t v = 0; v < V; v++) {
                    Real found = counts[i * V + v];
                    for (int64_t q = 0; q < ready; q++)
                        found += before[q * P + i] * next[q * V + v];
                    counts[i * V + v] = found;
                }
        if (each_step || k > 1) continue;
        for (int64_t i = 0; i < S; i++)
            for (int64_t v = 0; v < V; v++) {
                Real x = counts[i * V + v] * lanes_at(matrix + i * stride + v * LANES);
                counts[i * V + v] = counted ? x : all(factor);
            }
        if (own == 1) own_gradients(call, g, 1, K - 1, counts, V, weights[0]);
        for (int64_t i = 0; i < S && own < 0; i++)
            for (int64_t j = 0; j < S; j++) {
                double x = ((double *)counts)[i * P + j];
                if (call->each) call->each[(g->rows[0] * S + i) * S + j] = x;
                else sums[i * W + j] += x;
            }
    }
    if (call->each && K < 2) memset(call->each + g->rows[0] * S * S, 0, S * S * sizeof(double));
}

/* ---------------------------------------------------------------- best paths */

/* Scores and numbers of tokens of a group's best paths; a chain without one gets length 0. */
INLINE void end_paths(const Call *call, const Tables *t, Group *g, Real final) {
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l];
        int wrong = g->lengths[l] && (t->bad || g->bad[l]), found = !wrong && final[l] > -INFINITY;
        if (call->scores) put(call->scores, row, wrong ? NAN : final[l], (int)call->wide);
        g->states |= wrong ? BAD_SCORE : found ? 0 : NO_PATH;
        if (!found) g->lengths[l] = 0;
        if (call->tokens) call->tokens[row] = g->lengths[l];
        for (int64_t k = 0; k < g->L && !call->tokens; k++) call->paths[row * g->L + k] = -1;
    }
}

/* d_t(j) = e_t(j) + m_t(j), m_t(j) = max_i d_(t-1)(i) + T(i, j). No argmax is kept: on the way back
   it is the lowest i that gives m_t of the tag chosen after it. */
INLINE void paths_of(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, L = g->L, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *d = work, *m = d + K * S, *column = m + K * S;
    Real final = either(g->lengths > 0, all(-INFINITY), all(0.0));
    Whole tag = {0};
    for (int64_t k = 0; k < K; k++) {
        emissions_of(call, g, k, column);
        if (k && t->sparse)
            listed(d + (k - 1) * S, t->matrix, t->into, d, m + k * S, S, S, 0, MOST);
        else if (k) product(d + (k - 1) * S, t->matrix, d, m + k * S, S, S, MOST);
        for (int64_t s = 0; s < S; s++)
            d[k * S + s] = (k ? m[k * S + s] : all(start[s])) + column[s];
        for (int64_t s = 0; s < S && any(k + 1 == g->lengths); s++) {
            Real score = d[k * S + s] + end[s];
            Whole better = (k + 1 == g->lengths) & (score > final);
            final = either(better, score, final), tag = (better & s) | (~better & tag);
        }
    }
    end_paths(call, t, g, final);
    for (int64_t k = K - 1; k >= 0; k--) {
        Whole inside = k < g->lengths, next = tag;
        Real best = {0}, arriving = {0};
        for (int l = 0; l < LANES; l++) {
            int64_t row = g->rows[l] * L;
            if (k) best[l] = m[k * S + tag[l]][l];
            if (inside[l]) call->paths[row + (call->tokens ? k : g->cells[l * L + k])] = tag[l];
        }
        for (int64_t i = S - 1; i >= 0 && k; i--) {
            for (int l = 0; l < LANES; l++) arriving[l] = t->turned[tag[l] * W + i];
            Whole attains = d[(k - 1) * S + i] + arriving == best;
            next = (attains & i) | (~attains & next);
        }
        tag = (inside & next) | (~inside & tag);
    }
}

/* `paths_of` for one chain, its tags in the lanes. */
INLINE void path_of_one(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, W = g->W, K = g->most, V = (S + LANES - 1) / LANES, P = V * LANES;
    int64_t own = call->own, stride = own < 0 ? W : S, tag = 0;
    Real *d = work, *m = d + K * V, *table = m + K * V, final = {0};
    double *best = (double *)d, *reached = (double *)m, top;
    table[(S * S + LANES - 1) / LANES] = (Real){0}; /* the last row is read as whole vectors */
    for (int64_t k = 0; k < K; k++) {
        Real *now = d + k * V;
        if (read_scores(call->emissions, at(g, 0, k) * S, S, (int)call->wide, now, &top))
            g->bad[0] = -1;
        if (k) {
            const double *matrix = arriving(call, t, g, k, table, &top, 0);
            across(best + (k - 1) * P, matrix, stride, m + k * V, S, V, MOST);
            for (int64_t v = 0; v < V; v++) now[v] = m[k * V + v] + now[v];
        }
        for (int64_t s = 0; s < S && !k; s++) best[s] = t->matrix[S * W + s] + best[s];
    }
    if (K) final[0] = -INFINITY;
    for (int64_t s = 0; s < S && K; s++) {
        double score = best[(K - 1) * P + s] + t->turned[S * W + s];
        if (score > final[0]) final[0] = score, tag = s;
    }
    end_paths(call, t, g, final);
    for (int64_t k = g->lengths[0] - 1; k >= 0; k--) {
        int64_t row = g->rows[0] * g->L, i = 0, place = own < 0 || !k ? 0 : own_table(call, g, k);
        call->paths[row + (call->tokens ? k : g->cells[k])] = tag;
        for (int found = !k; !found; i += !found) {
            double score = own < 0 ? t->turned[tag * W + i]
                                   : one(call->transitions, place + i * S + tag, (int)call->wide);
            found = i + 1 == S || best[(k - 1) * P + i] + score == reached[k * P + tag];
        }
        tag = i;
    }
}

/* The best n of S lists of n numbers each, sorted, after to[i] is added to list i: what they are
   and where they come from; of equal ones that of the lowest list. */
INLINE void merge(const double *lists, const double *to, int64_t S, int64_t n, double *best,
                  int32_t *from, double *heads, int32_t *used) {
    for (int64_t i = 0; i < S; i++) used[i] = 0, heads[i] = lists[i * n] + to[i];
    for (int64_t r = 0; r < n; r++) {
        int64_t i = 0;
        for (int64_t q = 1; q < S; q++) i = heads[q] > heads[i] ? q : i;
        best[r] = heads[i], from[r] = (int32_t)(i * n + used[i]);
        heads[i] = ++used[i] < n ? lists[i * n + used[i]] + to[i] : -INFINITY;
        if (used[i] == n) used[i] = (int32_t)n - 1;
    }
}

/* The best paths of one chain: d_t as in `paths_of`, with the best n prefixes of each tag. */
INLINE void lists_of_one(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, W = g->W, K = g->most, L = g->L, V = (S + LANES - 1) / LANES, n = call->some;
    int64_t row = g->rows[0], wide = call->wide;
    Real *column = work, *table = column + V;
    double *now = (double *)(table + S * V + 2), *next = now + S * n, *to = next + S * n;
    double *heads = to + S, *scores = call->values + row * n, top;
    int32_t *used = (int32_t *)(heads + S), *from = used + S, *last = from + K * S * n;
    table[(S * S + LANES - 1) / LANES] = (Real){0};
    for (int64_t k = 0; k < K; k++) {
        if (read_scores(call->emissions, at(g, 0, k) * S, S, (int)wide, column, &top))
            g->bad[0] = -1;
        const double *matrix = k ? arriving(call, t, g, k, table, &top, 0) : NULL;
        for (int64_t j = 0; j < S; j++) {
            double e = ((double *)column)[j], *mine = next + j * n;
            for (int64_t i = 0; k && i < S; i++)
                to[i] = call->own < 0 ? t->turned[j * W + i] : matrix[i * S + j];
            if (k) merge(now, to, S, n, mine, from + (k * S + j) * n, heads, used);
            for (int64_t r = 0; !k && r < n; r++) mine[r] = r ? -INFINITY : t->matrix[S * W + j];
            for (int64_t r = 0; r < n; r++) mine[r] += e;
        }
        double *other = now;
        now = next, next = other;
    }
    for (int64_t i = 0; i < S; i++) to[i] = t->turned[S * W + i];
    if (K) merge(now, to, S, n, scores, last, heads, used);
    else
        for (int64_t r = 0; r < n; r++) scores[r] = r ? -INFINITY : 0.0;
    int bad = K && (t->bad || g->bad[0]);
    g->states |= bad ? BAD_SCORE : 0;
    for (int64_t r = 0; r < n; r++) {
        int64_t *path = call->paths + (row * n + r) * L;
        if (bad) scores[r] = NAN;
        for (int64_t k = 0; k < L; k++) path[k] = -1;
        for (int64_t k = K - 1, place = last[r]; k >= 0 && scores[r] > -INFINITY; k--) {
            path[g->cells[k]] = place / n;
            if (k) place = from[k * S * n + place];
        }
    }
}

/* ---------------------------------------------------------------- calls */

INLINE int64_t blocks_of(const Call *call, int64_t lanes) {
    return call->B < BLOCKS * lanes ? (call->B + lanes - 1) / lanes : BLOCKS;
}

/* Memory that calls leave to the next one: fresh pages cost more than what is computed in them. */
static size_t *left[BLOCKS];

/* Answer for the blocks that no other thread takes; what is wrong with any of their chains. */
INLINE int answer(const Call *call, int64_t thread, int64_t *taken, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, n = (S + 1) * (S + 1), block, alone = 0;
    int64_t V = (S + LANES - 1) / LANES;
    int64_t words = 2 * L * S + 3 * S + 16 + (sums ? L + 1 + S * S : 0);
    int64_t single = (2 * L + 4 + 2 * S) * V + (L + 1) / LANES + 8 + (sums ? kept(call) * L : 0);
    if (call->own >= 0 || words < single) words = single;
    if (call->some && !call->noise) /* the lists; where each of their entries comes from */
        words = (S + 1) * V + 4 +
                (2 * S * call->some + 3 * S + (L * S + 2) * call->some / 2) / LANES;
    size_t bytes = words * sizeof(Real) + (4 * n + 2 * B + L + 2) * 8 + LANES * (L + 1) * 4;
    size_t *memory = __atomic_exchange_n(&left[thread], NULL, __ATOMIC_ACQ_REL);
    if (!memory || *memory < bytes) {
        free(memory), memory = malloc(bytes + 128);
        if (!memory) return FAILED;
        *memory = bytes;
    }
    Real *work = (Real *)(((uintptr_t)memory + 127) & ~(uintptr_t)63);
    Tables t = {.scores = (double *)(work + words)};
    t.matrix = t.scores + n, t.turned = t.matrix + n;
    t.order = (int64_t *)(t.turned + n), t.lengths = t.order + B;
    t.into = (int32_t *)(t.lengths + B + L + 2), t.outof = t.into + n;
    Group g = {.cells = t.outof + n};
    prepare(call, &t, sums);
    if (!taken) taken = &alone;
    int64_t lanes = t.single ? 1 : LANES, blocks = blocks_of(call, lanes);
    while ((block = __atomic_fetch_add(taken, 1, __ATOMIC_RELAXED)) < blocks) {
        double *own = call->sums + block * n;
        if (sums && call->d_start) /* the last entry says that the block is used */
            memset(own, 0, n * sizeof *own), own[n - 1] = 1.0;
        for (int64_t first = block * lanes; first < B; first += BLOCKS * lanes) {
            gather(call, &t, first, &g);
            if (call->some && !sums) lists_of_one(call, &t, &g, work);
            else if (t.single && sums) sums_of_one(call, &t, &g, work, own);
            else if (t.single) path_of_one(call, &t, &g, work);
            else if (sums) sums_of(call, &t, &g, work, own);
            else paths_of(call, &t, &g, work);
        }
    }
    if (*memory <= MOST_LEFT) memory = __atomic_exchange_n(&left[thread], memory, __ATOMIC_ACQ_REL);
    free(memory);
    return g.states;
}

/* Add up what all threads have found. */
void crf_finish(const Call *call) {
    int64_t S = call->S, W = S + 1;
    int wide = (int)call->wide;
    double total = 0.0;
    for (int64_t b = 0; b < call->B && call->total; b++) {
        double weight = call->weights ? call->weights[b] : 1.0;
        if (weight != 0.0) total += weight * call->values[b];
    }
    if (call->total) put(call->total, 0, total * call->scale, wide);
    for (int64_t i = 0; i < W && call->d_start; i++)
        for (int64_t j = 0; j < W; j++) {
            double sum = 0.0;
            for (int64_t block = 0; block < blocks_of(call, 1); block++)
                if (call->sums[(block + 1) * W * W - 1] != 0.0) /* others had no chains */
                    sum += call->sums[(block * W + i) * W + j];
            if (i == S && j < S) put(call->d_start, j, sum, wide);
            else if (j == S && i < S) put(call->d_end, i, sum, wide);
            else if (i < S && call->d_transitions && call->own < 0)
                put(call->d_transitions, i * S + j, sum, wide);
        }
}

/* Answer as one of several threads: one more call, to crf_finish, is due when all have come back.
   `taken` is the number of blocks that they have taken, 0 at first; NULL: there is one thread. */
int crf_answer(const Call *call, int64_t thread, int64_t *taken) {
    int states = call->sums ? answer(call, thread, taken, 1) : answer(call, thread, taken, 0);
    if (!taken && !(states & FAILED)) crf_finish(call);
    return states;
}

/* Whether no score, those of masked cells included, is nan or +infinity. */
int crf_look(const Call *call) {
    int64_t S = call->S, sizes[4] = {call->B * call->L * S, S * S, S, S};
    if (call->own >= 0) sizes[1] *= call->B * call->own;
    const void *tables[4] = {call->emissions, call->transitions, call->start, call->end};
    int wide = (int)call->wide, bad = 0;
    for (int x = 0; x < 4; x++)
        for (int64_t k = 0; k < sizes[x]; k++) bad |= !(one(tables[x], k, wide) < INFINITY);
    return !bad;
}

/* Bytes of a call: a library of another version has another number, or none. */
int crf_call_size(void) { return (int)sizeof(Call); }
