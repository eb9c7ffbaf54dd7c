/* log Z, -log p(tags), expected counts and best paths of a batch of linear chains.

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

   Groups of chains, the longest first, are dealt to BLOCKS blocks, each with sums of its own that
   are added up in order at the end: so threads, which share the blocks, change no bit. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
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
enum { BLOCKS = 16, CHUNK = 8, TILE = 4 };
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
    const uint8_t *mask;                               /* [B, L], or NULL: all are tokens */
    const int64_t *tags;                               /* [B, L], or NULL: log Z is asked for */
    const double *weights;                             /* [B], or NULL: all 1 */
    double *values;                                    /* [B] log Z, or -log p(tags) */
    uint8_t *states;                                   /* [B] what is wrong with each chain */
    double *sums; /* [BLOCKS, S + 1, S + 1] scratch; NULL: best paths are asked for */
    void *total;  /* sum of scale * weights * values */
    void *d_emissions, *d_transitions, *d_start, *d_end; /* its gradients, or NULL */
    double *each;    /* [B, S, S] instead of d_transitions: those of each chain */
    void *paths;     /* [B, L] best paths, int64_t; or, with tokens, uint8_t without gaps */
    int64_t *tokens; /* [B] how many, or NULL */
    void *scores;    /* [B] scores of the best paths, or NULL */
    int64_t B, L, S, wide;
    double scale;
} Call;

/* ---------------------------------------------------------------- vectors of doubles */

INLINE Real all(double x) { return x - (Real){0}; }
INLINE Real only(Whole which, Real a) { return (Real)((Whole)a & which); }
INLINE Real either(Whole which, Real a, Real b) {
    return (Real)((Whole)only(which, a) | (Whole)only(~which, b));
}
INLINE int any(Whole which) {
    int64_t found = 0;
    for (int k = 0; k < LANES; k++) found |= which[k];
    return found != 0;
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
    double *scores, *matrix, *turned; /* as given, their exponentials (for sums), these transposed */
    double added, lost;               /* what was taken from all; the highest score left out */
    int64_t *order, *lengths;         /* the chains, the longest first; their numbers of tokens */
    int bad;                          /* whether a score is nan or +infinity */
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
} Group;

INLINE int64_t at(const Group *g, int l, int64_t k) { /* of token k: its place in [B, L] */
    return g->rows[l] * g->L + g->cells[l * g->L + k];
}

/* Exponentials of n scores less their maximum, which is returned; the highest that is left out. */
INLINE double exponentials(const double *scores, double *found, int64_t n, double *lost) {
    double top = -INFINITY;
    for (int64_t k = 0; k < n; k++) top = scores[k] > top ? scores[k] : top;
    top = top > -INFINITY ? top : 0.0, *lost = -INFINITY;
    for (int64_t k = 0; k < n; k++) {
        double x = scores[k] - top;
        found[k] = x < LOWEST ? 0.0 : exp(x);
        if (x < LOWEST && x > *lost) *lost = x;
    }
    return top;
}

/* Copy the scores, look for nan and infinity, and put the chains in order, the longest first. */
INLINE void prepare(const Call *call, Tables *t, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, W = S + 1;
    t->bad = 0, t->scores[W * W - 1] = -INFINITY;
    for (int64_t i = 0; i < S; i++) {
        for (int64_t j = 0; j < S; j++)
            t->scores[i * W + j] = one(call->transitions, i * S + j, (int)call->wide);
        t->scores[S * W + i] = one(call->start, i, (int)call->wide);
        t->scores[i * W + S] = one(call->end, i, (int)call->wide);
    }
    for (int64_t k = 0; k < W * W; k++) t->bad |= !(t->scores[k] < INFINITY);
    if (sums && !t->bad) t->added = exponentials(t->scores, t->matrix, W * W, &t->lost);
    else memcpy(t->matrix, t->scores, W * W * sizeof(double)), t->added = 0.0, t->lost = -INFINITY;
    for (int64_t i = 0; i < W; i++)
        for (int64_t j = 0; j < W; j++) t->turned[j * W + i] = t->matrix[i * W + j];
    int64_t *counts = t->lengths + B;
    memset(counts, 0, (L + 2) * sizeof *counts);
    for (int64_t b = 0; b < B; b++) {
        int64_t m = call->mask ? 0 : L;
        for (int64_t k = 0; call->mask && k < L; k++) m += call->mask[b * L + k] != 0;
        t->lengths[b] = m;
        counts[L - m + 1]++;
    }
    for (int64_t m = 0; m <= L; m++) counts[m + 1] += counts[m];
    for (int64_t b = 0; b < B; b++) t->order[counts[L - t->lengths[b]]++] = b;
}

/* The chains of one group; lanes without a chain have length 0 and repeat the first one's cells. */
INLINE void gather(const Call *call, const Tables *t, int64_t group, Group *g) {
    int64_t first = group * LANES;
    g->most = t->lengths[t->order[first]], g->S = call->S, g->L = call->L, g->W = call->S + 1;
    g->chains = call->B - first < LANES ? (int)(call->B - first) : LANES;
    g->bad = g->low = (Whole){0}, g->lost = all(-INFINITY);
    for (int l = 0; l < LANES; l++) {
        int there = l < g->chains;
        int64_t row = t->order[there ? first + l : first], m = 0;
        int32_t *cells = g->cells + l * g->L;
        for (int64_t k = 0; k < g->L; k++)
            if (!call->mask || call->mask[row * g->L + k]) cells[m++] = (int32_t)k;
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

/* Some columns j of sum_i x(i) matrix(i, j), or of the maximum of x(i) + matrix(i, j). */
INLINE void columns(const Real *x, const double *matrix, Real *y, int64_t S, const int n,
                    const int sums) {
    Real found[6];
    for (int j = 0; j < n; j++) found[j] = sums ? all(0.0) : all(-INFINITY);
    for (int64_t i = 0; i < S; i++, matrix += S + 1)
        for (int j = 0; j < n; j++)
            if (sums) found[j] += x[i] * matrix[j];
            else found[j] = larger(x[i] + matrix[j], found[j]);
    for (int j = 0; j < n; j++) y[j] = found[j];
}
INLINE void step(const Real *x, const double *matrix, Real *y, int64_t S, const int sums) {
    for (int64_t j = 0, n, tiles = (S + 5) / 6; tiles; tiles--, j += n) {
        n = (S - j + tiles - 1) / tiles;
#define COLUMNS(n) case n: columns(x, matrix + j, y + j, S, n, sums); break;
        switch (n) { COLUMNS(1) COLUMNS(2) COLUMNS(3) COLUMNS(4) COLUMNS(5) COLUMNS(6) }
    }
}

/* ---------------------------------------------------------------- log Z and expected counts */

/* counts(i, j) += sum over some tokens of a(i) u(j), both [tokens, S]: rows x columns of them. */
INLINE void tile(const Real *a, const Real *u, Real *counts, int64_t tokens, int64_t S,
                 const int rows, const int columns) {
    Real found[TILE][TILE];
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++) found[p][q] = counts[p * S + q];
    for (int64_t k = 0; k < tokens; k++, a += S, u += S)
        for (int p = 0; p < rows; p++)
            for (int q = 0; q < columns; q++) found[p][q] += a[p] * u[q];
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++) counts[p * S + q] = found[p][q];
}
INLINE void add_pairs(const Real *a, const Real *u, Real *counts, int64_t tokens, int64_t S) {
    int64_t tiles = (S + TILE - 1) / TILE, p, q;
    for (int64_t i = 0, x = tiles; x; x--, i += p) {
        p = (S - i + x - 1) / x;
        for (int64_t j = 0, y = tiles; y; y--, j += q) {
            q = (S - j + y - 1) / y;
#define TILES(rows, columns) \
    case TILE * rows + columns: \
        tile(a + i, u + j, counts + i * S + j, tokens, S, rows, columns); \
        break;
            switch (TILE * p + q) { /* tiles are as even as can be: there are no others */
                TILES(4, 4) TILES(4, 3) TILES(3, 4) TILES(3, 3) TILES(3, 2) TILES(2, 3) TILES(2, 2)
                TILES(1, 1)
            }
        }
    }
}

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

/* What a token's column leaves out, and which chains have a sum in it that is too small. */
static void leave_out(Group *g, const Real *scores, const Real *sums, Real top, Real scale,
                      Whole inside) {
    for (int64_t s = 0; s < g->S; s++) {
        Real x = scores[s] - top;
        g->lost = either(inside & (x < LOWEST), larger(x, g->lost), g->lost);
        g->low |= inside & (sums[s] < SMALLEST * scale) & (sums[s] > 0.0);
    }
}

/* Add what the scores of token k's tags lack. */
INLINE void follow(const Call *call, const Tables *t, Group *g, int64_t k, Real top, const Real *column) {
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
INLINE void observe(const Call *call, const Tables *t, const Group *g, int64_t k, const double *weights,
                    Real *column, double *sums) {
    int64_t S = g->S, W = g->W;
    for (int l = 0; l < g->chains; l++) {
        if (k >= g->lengths[l] || weights[l] == 0.0) continue;
        int64_t cell = at(g, l, k), tag = call->tags[cell];
        int64_t pair = (k ? call->tags[at(g, l, k - 1)] : S) * W + tag, end = tag * W + S;
        if (one(call->emissions, cell * S + tag, (int)call->wide) > -INFINITY) column[tag][l] -= weights[l];
        if (t->scores[pair] > -INFINITY) sums[pair] -= weights[l];
        if (k + 1 == g->lengths[l] && t->scores[end] > -INFINITY) sums[end] -= weights[l];
    }
}

/* What the group's chains are worth, and their gradients: those of shared scores go to sums. */
INLINE void sums_of(const Call *call, const Tables *t, Group *g, Real *work, double *sums) {
    int64_t S = g->S, L = g->L, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *a = work, *u = a + K * S, *beta = u + K * S, *column = beta + S, *scales = column + S + 8;
    Real *counts = scales + K + 1;
    Real logs = {0}, product = all(1.0), final = {0}, none = {0};
    Whole powers = {0};

    for (int64_t k = 0; k < K; k++) { /* forward */
        Whole inside = k < g->lengths, last = k + 1 == g->lengths;
        Real top = emissions_of(call, g, k, column), scale = none, *now = a + k * S;
        if (k) step(now - S, t->matrix, now, S, 1);
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
        if (any((lowest < LOWEST) | (least < SMALLEST * scale)))
            leave_out(g, column, now, top, scale, inside);
        Real inverse = either(scale > 1e-300, 1.0 / scale, none);
        for (int64_t s = 0; s < S; s++) now[s] *= inverse;
        scales[k] = inverse;
        product *= either(inside, scale, all(1.0));
        powers += (((Whole)product >> 52) & 2047) - 1023;
        product = (Real)(((Whole)product & 0xfffffffffffff) | (Whole)all(1.0));
        logs += only(inside, top);
        if (!any(last)) continue;
        Real sum = none;
        for (int64_t s = 0; s < S; s++) sum += now[s] * end[s];
        final = either(last, sum, final);
    }

    double weights[LANES] = {0};
    Real factor = none; /* what a chain counts for, over its final sum; nan if it is bad */
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], m = g->lengths[l];
        double weight = (call->weights ? call->weights[row] : 1.0) * call->scale;
        double lost = g->lost[l] > t->lost ? g->lost[l] : t->lost;
        double value = log(final[l]) + log(product[l]) + powers[l] * 0.69314718055994530942;
        int state = g->before[l] < 0 ? BAD_TAG : 0;
        if (t->bad || g->bad[l]) state |= BAD_SCORE;
        if (g->low[l] || (lost > -INFINITY && !(value >= lost + m * log((double)S) + NEGLIGIBLE)))
            state |= OUT_OF_RANGE;
        if (!state && !(final[l] > 0.0)) state = NO_PATH;
        value += call->tags ? g->gold[l] : logs[l] + t->added * (m + 1);
        if (!m) state = 0, value = 0.0;
        if (state == NO_PATH) value = call->tags ? INFINITY : -INFINITY;
        if (state & (BAD_SCORE | BAD_TAG)) value = NAN;
        if (call->tags && value < 0.0) value = 0.0;
        call->values[row] = value;
        state |= value == INFINITY ? NO_PATH : 0;
        call->states[row] = (uint8_t)state, g->states |= state;
        if (weight == 0.0 || !m) continue;
        if (!state) weights[l] = weight, factor[l] = weight / final[l];
        if (value != value) factor[l] = NAN;
    }
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
        if (!ready || k == 1) add_pairs(now - S, next, counts, ready ? ready : CHUNK, S);
        step(next, t->turned, beta, S, 1);
        for (int64_t s = 0; s < S; s++) beta[s] = only(now[s - S] != 0.0, beta[s]);
    }
    for (int64_t k = 0; k < S * S; k++) {
        int64_t pair = k / S * W + k % S;
        Real x = either(counted, counts[k] * t->matrix[pair], factor);
        if (!call->each) sums[pair] += add_up(x);
        for (int l = 0; l < g->chains && call->each; l++) call->each[g->rows[l] * S * S + k] = x[l];
    }
    for (int64_t c = 0; c < g->chains * L && call->mask; c++) {
        int64_t cell = g->rows[c / L] * L + c % L, size = call->wide ? 8 : 4;
        if (!call->mask[cell]) memset((char *)call->d_emissions + cell * S * size, 0, S * size);
    }
}

/* ---------------------------------------------------------------- best paths */

/* d_t(j) = e_t(j) + m_t(j), m_t(j) = max_i d_(t-1)(i) + T(i, j). No argmax is kept: on the way back
   it is the lowest i that gives m_t of the tag chosen after it. */
INLINE void paths_of(const Call *call, const Tables *t, Group *g, Real *work) {
    int64_t S = g->S, L = g->L, W = g->W, K = g->most;
    const double *start = t->matrix + S * W, *end = t->turned + S * W;
    Real *d = work, *m = d + K * S, *column = m + K * S, final = {0};
    Whole tag = {0};
    for (int64_t k = 0; k < K; k++) {
        emissions_of(call, g, k, column);
        if (k) step(d + (k - 1) * S, t->matrix, m + k * S, S, 0);
        for (int64_t s = 0; s < S; s++)
            d[k * S + s] = (k ? m[k * S + s] : all(start[s])) + column[s];
        for (int l = 0; l < g->chains; l++) {
            if (k + 1 != g->lengths[l]) continue;
            final[l] = -INFINITY;
            for (int64_t s = 0; s < S; s++) {
                double score = d[k * S + s][l] + end[s];
                if (score > final[l]) final[l] = score, tag[l] = s;
            }
        }
    }
    for (int l = 0; l < g->chains; l++) {
        int64_t row = g->rows[l], *path = (int64_t *)call->paths + row * L;
        int wrong = g->lengths[l] && (t->bad || g->bad[l]), found = !wrong && final[l] > -INFINITY;
        if (call->scores) put(call->scores, row, wrong ? NAN : final[l], (int)call->wide);
        g->states |= wrong ? BAD_SCORE : found ? 0 : NO_PATH;
        if (!found) g->lengths[l] = 0;
        if (call->tokens) call->tokens[row] = g->lengths[l];
        for (int64_t k = 0; k < L && !call->tokens; k++) path[k] = -1;
    }
    for (int64_t k = K - 1; k >= 0; k--) {
        Whole inside = k < g->lengths, next = tag;
        const double *into[LANES];
        Real best = {0}, step;
        for (int l = 0; l < LANES; l++) {
            int64_t row = g->rows[l] * L;
            into[l] = t->turned + tag[l] * W;
            if (k) best[l] = m[k * S + tag[l]][l];
            if (inside[l] && call->tokens) ((uint8_t *)call->paths)[row + k] = (uint8_t)tag[l];
            else if (inside[l]) ((int64_t *)call->paths)[row + g->cells[l * L + k]] = tag[l];
        }
        for (int64_t i = S - 1; i >= 0 && k; i--) {
            for (int l = 0; l < LANES; l++) step[l] = into[l][i];
            Whole attains = d[(k - 1) * S + i] + step == best;
            next = (attains & i) | (~attains & next);
        }
        tag = (inside & next) | (~inside & tag);
    }
}

/* ---------------------------------------------------------------- calls */

/* Memory that calls leave to the next one: fresh pages cost more than what is computed in them. */
static size_t *left[BLOCKS];
enum { MOST_LEFT = 64 << 20 };

/* The groups of one thread: those of the blocks part, part + parts, ... What is wrong with any. */
INLINE int answer(const Call *call, int64_t part, int64_t parts, const int sums) {
    int64_t B = call->B, L = call->L, S = call->S, n = (S + 1) * (S + 1);
    int64_t groups = (B + LANES - 1) / LANES;
    size_t words = 2 * L * S + 3 * S + 16 + (sums ? L + 1 + S * S : 0);
    size_t bytes = words * sizeof(Real) + (3 * n + 2 * B + L + 2) * 8 + LANES * L * 4;
    size_t *memory = __atomic_exchange_n(&left[part], NULL, __ATOMIC_ACQ_REL);
    if (!memory || *memory < bytes) {
        free(memory);
        memory = malloc(bytes + 128);
        if (!memory) return FAILED;
        *memory = bytes;
    }
    Real *work = (Real *)(((uintptr_t)memory + 127) & ~(uintptr_t)63);
    Tables t = {.scores = (double *)(work + words)};
    t.matrix = t.scores + n, t.turned = t.matrix + n;
    t.order = (int64_t *)(t.turned + n), t.lengths = t.order + B;
    Group g = {.cells = (int32_t *)(t.lengths + B + L + 2)};
    prepare(call, &t, sums);
    for (int64_t block = part; block < BLOCKS && block < groups; block += parts) {
        double *own = call->sums + block * n;
        if (sums && call->d_start) memset(own, 0, n * sizeof *own);
        for (int64_t group = block; group < groups; group += BLOCKS) {
            gather(call, &t, group, &g);
            if (sums) sums_of(call, &t, &g, work, own);
            else paths_of(call, &t, &g, work);
        }
    }
    if (*memory <= MOST_LEFT) memory = __atomic_exchange_n(&left[part], memory, __ATOMIC_ACQ_REL);
    free(memory);
    return g.states;
}

/* Add up what all parts have found. */
static void finish(const Call *call) {
    int64_t B = call->B, S = call->S, W = S + 1, blocks = (B + LANES - 1) / LANES;
    int wide = (int)call->wide;
    double total = 0.0;
    for (int64_t b = 0; b < B && call->total; b++) {
        double weight = call->weights ? call->weights[b] : 1.0;
        if (weight != 0.0) total += weight * call->values[b];
    }
    if (call->total) put(call->total, 0, total * call->scale, wide);
    for (int64_t k = 0; k + 1 < W * W && call->d_start; k++) {
        int64_t i = k / W, j = k % W;
        double sum = 0.0;
        for (int64_t block = 0; block < blocks && block < BLOCKS; block++)
            sum += call->sums[block * W * W + k];
        if (i == S) put(call->d_start, j, sum, wide);
        else if (j == S) put(call->d_end, i, sum, wide);
        else if (call->d_transitions) put(call->d_transitions, i * S + j, sum, wide);
    }
}

/* Answer for part of the chains. Once all parts are there, one more call, with part == parts, adds
   them up; a call for all of them does it itself. */
EXPORT int crf_answer(const Call *call, int64_t part, int64_t parts) {
    int states = 0;
    if (part < parts) states = call->sums ? answer(call, part, parts, 1) : answer(call, part, parts, 0);
    if ((part == parts || parts == 1) && !(states & FAILED)) finish(call);
    return states;
}

/* Whether no score, those of masked cells included, is nan or +infinity. */
EXPORT int crf_look(const Call *call) {
    int64_t S = call->S, sizes[4] = {call->B * call->L * S, S * S, S, S};
    const void *tables[4] = {call->emissions, call->transitions, call->start, call->end};
    int bad = 0;
    for (int x = 0; x < 4; x++)
        for (int64_t k = 0; k < sizes[x]; k++) bad |= !(one(tables[x], k, (int)call->wide) < INFINITY);
    return !bad;
}

/* Bytes of a call: a library of another version has another number, or none. */
EXPORT int crf_call_size(void) { return (int)sizeof(Call); }
